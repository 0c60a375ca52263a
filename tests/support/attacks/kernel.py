"""Parts of the kernel that no program of a stage needs, and rights over the machine."""

from __future__ import annotations

ATTEMPTS = {
    "tcp_bind": "socket.socket().bind(('127.0.0.1', 0))",
    "udp6": "socket.socket(10, 2)",
    "netlink": "socket.socket(16, 3, 0).bind((0, 0))",
    "vsock": "socket.socket(40, 1)",
    "crypto_socket": "socket.socket(38, 5, 0)",
    "udp_lite": "socket.socket(2, 2, 136)",
    "pty": "os.close(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY))",
    "io_uring": "call('io_uring_setup', 4, ctypes.create_string_buffer(120))",
    "user_namespace": "call('unshare', 0x10000000)",
    "user_namespace_clone": "if not call('clone', 0x10000011, 0, 0, 0, 0): os._exit(0)",
    "user_namespace_clone3": """
arguments = (ctypes.c_uint64 * 8)(0x10000000, 0, 0, 0, 17)
if not call('clone3', arguments, 64): os._exit(0)
""",
    "keyring": "call('keyctl', 0, ctypes.c_long(-3), 1)",
    "add_key": "call('add_key', b'user', b'custody', b'x', 1, -2)",
    "new_rights": """
if 'NoNewPrivs:\\t1' in open('/proc/self/status').read(): raise OSError(errno.EPERM, '')
""",
    "userfaultfd": "call('userfaultfd', 1)",
    "personality": "call('personality', 0x0040000)",
    "request_key": "past_rights('request_key', b'user', b'custody-none', 0, 0)",
    "fanotify_unprivileged": "call('fanotify_init', 0x200, 0)",
    "dump_core": "raise_limit(resource.RLIMIT_CORE)",
    "dump_core_to_a_program": """
if resource.getrlimit(resource.RLIMIT_CORE) in ((1, 1), (0, 0)): raise OSError(errno.EPERM, '')
""",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS = {
    "packet_socket": "socket.socket(17, 3, 0)",
    "raw_socket": "socket.socket(2, 3, 1)",
    "capabilities": "held_capabilities(open('/proc/self/status').read())",
    "capabilities_of_a_program": """
told = subprocess.run(['cat', '/proc/self/status'], capture_output=True, text=True).stdout
held_capabilities(told)
""",
    "kernel_module": "past_rights('init_module', 0, 0, b'')",
    "kernel_module_file": "past_rights('finit_module', -1, b'', 0)",
    "kexec": "past_rights('kexec_load', 0, 999, 0, 0)",
    "reboot": "past_rights('reboot', 0, 0, 0, 0)",
    "swap": "past_rights('swapon', b'/nonexistent', 0)",
    "fanotify": "call('fanotify_init', 0, 0)",
    "sysrq": "open('/proc/sysrq-trigger', 'w').close()",
    "netlink_audit": "socket.socket(16, 3, 9)",
    "netlink_uevent": "socket.socket(16, 3, 15)",
    "mount_namespace": "call('unshare', 0x20000)",
    "network_namespace": "call('unshare', 0x40000000)",
    "cgroup_namespace": "call('unshare', 0x02000000)",
    "time_namespace": "call('unshare', 0x80)",
    "chroot": "os.chroot('.')",
    "mount": "mounted('tmpfs')",
    "open_tree": "call('open_tree', -100, b'/', 1)",
    "fsopen": "call('fsopen', b'tmpfs', 0)",
    "bpf": "call('bpf', 0, (ctypes.c_uint32 * 18)(2, 4, 4, 1), 72)",
    "perf": "call('perf_event_open', struct.pack('II', 1, 112) + bytes(104), 0, -1, -1, 0)",
    "core_pattern": "open('/proc/sys/kernel/core_pattern', 'r+').close()",
    "cgroup": """
for folder, _, files in os.walk('/sys/fs/cgroup'):
    if 'cgroup.procs' in files:
        open(folder + '/cgroup.procs', 'r+').close()
        break
else:
    raise OSError(errno.ENOENT, '')
""",
    "host_name": "socket.sethostname(socket.gethostname())",
    "terminal_input": """
import pty
master, slave = pty.openpty()
os.setsid()
fcntl.ioctl(slave, 0x540E, 0)
fcntl.ioctl(slave, 0x5412, b'x')
""",
    "raise_open_files": "raise_limit(resource.RLIMIT_NOFILE)",
    "raise_processes": "raise_limit(resource.RLIMIT_NPROC)",
    "raise_priority": "os.nice(1); os.nice(-1)",
    "real_time": "os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1))",
    "real_time_disk": "call('ioprio_set', 1, 0, 1 << 13)",
    "lock_memory": """
size = 64 << 20
data = ctypes.create_string_buffer(size)
if libc.mlock(data, ctypes.c_size_t(size)) < 0: raise OSError(ctypes.get_errno(), '')
""",
    "large_pipe": "fcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 23)",
    "another_user": "os.setresuid(65534, 65534, 65534)",
    "other_groups": "os.setgroups([65534])",
    "unmount": "os.mkdir('unmounted'); past_rights('umount2', b'unmounted', 0)",
    "pivot_root": "os.mkdir('pivot'); past_rights('pivot_root', b'pivot', b'pivot')",
    "fspick": "call('fspick', -100, b'/', 0)",
    "process_namespace": "call('unshare', 0x20000000)",
    "queue_namespace": "call('unshare', 0x08000000)",
    "name_namespace": "call('unshare', 0x04000000)",
    "accounting": "past_rights('acct', b'/nonexistent')",
    "swap_off": "past_rights('swapoff', b'/nonexistent')",
    "unload_module": "past_rights('delete_module', b'custody_none', 0)",
    "kexec_file": "past_rights('kexec_file_load', -1, -1, 0, 0, 0)",
    "clock": "call('settimeofday', 0, 0)",
    "clock_rate": "adjust_clock()",
    "fuse": "os.close(os.open('/dev/fuse', os.O_RDWR))",
    "tunnel": "os.close(os.open('/dev/net/tun', os.O_RDWR))",
    "loop_devices": "os.close(os.open('/dev/loop-control', os.O_RDWR))",
}
"""What needs root."""
