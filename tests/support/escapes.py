"""Ways out of a sandbox, each as a few lines of Python, and what runs them.

An attempt succeeds when it raises nothing. All of them run as children of one driver, which
prints what became of each: ``ok`` or the name of the error. `custody`'s levels are tried in
tests/sandbox/test_escapes.py, other sandboxes in benchmarks/subjects/confinement.py.
"""

from __future__ import annotations

ATTEMPTS = {
    # files outside
    "read": "open(g['secret']).read()",
    "read_upwards": "open('../' * 30 + g['secret']).read()",
    "read_by_proc_root": "open(f\"/proc/{g['process']}/root\" + g['secret']).read()",
    "read_by_own_root": "open('/proc/self/root' + g['secret']).read()",
    "read_by_proc_cwd": "open(f\"/proc/{g['process']}/cwd/secret.txt\").read()",
    "run": "subprocess.run([g['outside'] + '/program'], check=True)",
    "rewrite_input": "os.pwrite(os.open('/proc/self/fd/0', os.O_RDWR), b'i', 0)",
    "read_beside_path": "open(g['beside']).read()",
    "list_beside_path": """
folder, name = os.path.split(g['beside'])
if name not in os.listdir(folder): raise OSError(errno.ENOENT, '')
""",
    "read_by_symlink": "os.symlink(g['secret'], 'left'); open('left').read()",
    "read_by_descriptor": """
for number in range(3, 200):
    try:
        os.close(os.open('secret.txt', os.O_RDONLY, dir_fd=number))
        break
    except OSError as error:
        if error.errno not in (errno.EBADF, errno.ENOTDIR, errno.ENOENT): raise
else:
    raise OSError(errno.EBADF, '')
""",
    "append": "open(g['secret'], 'a').close()",
    "truncate": "os.truncate(g['victim'], 0)",
    "create": "open(g['outside'] + '/new', 'w').close()",
    "unlink": "os.unlink(g['victim'])",
    "list": "os.listdir(g['outside'])",
    "list_home": "os.listdir(g['home'])",
    "read_home": "open(g['home'] + '/letter.txt').read()",
    "list_run": "os.listdir(g['run'])",
    "hardlink": "os.link(g['secret'], 'linked')",
    "rename_in": "os.rename(g['outside'] + '/movable', 'moved')",
    "rename_out": "open('mine', 'w').close(); os.rename('mine', g['outside'] + '/mine')",
    "stat": "os.stat(g['secret'])",
    "chmod": "os.chmod(g['secret'], 0o600)",
    "utime": "os.utime(g['secret'])",
    "setxattr": "os.setxattr(g['secret'], 'user.custody', b'x')",
    "listxattr": "os.listxattr(g['secret'])",
    "chown": "os.chown(g['secret'], os.getuid(), os.getgid())",
    "watch": """
door = libc.inotify_init1(0)
if libc.inotify_add_watch(door, g['secret'].encode(), 2) < 0:
    raise OSError(ctypes.get_errno(), '')
""",
    "name_to_handle": "handle_of(g['secret'])",
    "list_sys": "os.listdir('/sys/kernel')",
    # what is about the things that are handed in; nothing is changed, but it could be
    "device_times": "os.utime('/dev/null')",
    "input_mode": "os.fchmod(0, stat.S_IMODE(os.fstat(0).st_mode)); is_no_pipe(0)",
    "input_mode_by_name": "os.chmod('/proc/self/fd/0', 0o644); is_no_pipe(0)",
    "input_times": "os.utime(0); is_no_pipe(0)",
    "input_owner": "os.fchown(0, os.getuid(), os.getgid()); is_no_pipe(0)",
    "input_attribute": "os.setxattr(0, 'user.custody', b'x'); is_no_pipe(0)",
    "input_flags": "set_flags(0); is_no_pipe(0)",
    "folder_mode": "os.chmod(g['shown'], 0o755)",
    "folder_times": "os.utime(g['shown'])",
    "folder_owner": "os.chown(g['shown'], os.getuid(), os.getgid())",
    "folder_attribute": "os.setxattr(g['shown'], 'user.custody', b'x')",
    "folder_flags": "set_flags(os.open(g['shown'], os.O_RDONLY))",
    "folder_create": "made(g['shown'] + '/new')",
    # what the runtime was told, and where it keeps it
    "arguments_of_custody": """
for name in filter(str.isdigit, os.listdir('/proc')):
    try: found = open(f'/proc/{name}/cmdline').read() == g['arguments']
    except (OSError, UnicodeError): continue
    if found: break
else:
    raise OSError(errno.ENOENT, '')
""",
    "run_directory_by_links": """
links = [os.getcwd()] + [f'/proc/self/{name}' for name in ('cwd', 'exe', 'root')]
links += [f'/proc/self/fd/{name}' for name in os.listdir('/proc/self/fd')]
told = [os.readlink(link) if os.path.islink(link) else link for link in links]
if not any(g['run'] in text for text in told): raise OSError(errno.ENOENT, '')
""",
    # what is left in the workspace for others
    "setuid_file": "made('suid'); os.chmod('suid', 0o4755); has_bits('suid', 0o4000)",
    "setuid_by_descriptor": "os.fchmod(made('fsuid'), 0o4755); has_bits('fsuid', 0o4000)",
    "setuid_when_made": "made('csuid', 0o4755); has_bits('csuid', 0o4000)",
    "setuid_by_openat2": """
how = (ctypes.c_uint64 * 3)(os.O_CREAT | os.O_WRONLY, 0o4755, 0)
call('openat2', -100, b'osuid', how, 24)
has_bits('osuid', 0o4000)
""",
    "setuid_by_mknod": "os.mknod('nsuid', 0o104755); has_bits('nsuid', 0o4000)",
    "setgid_when_made": "made('cgid', 0o2755); has_bits('cgid', 0o2000)",
    "whiteout_by_rename": """
made('renamed')
if libc.renameat2(-100, b'renamed', -100, b'renamed2', 4) < 0:
    raise OSError(ctypes.get_errno(), '')
""",
    # what the workspace hides
    "holdout_read": "open('holdout/answer.txt').read()",
    "holdout_name": "if 'holdout' not in os.listdir('.'): raise OSError(errno.ENOENT, '')",
    # network
    "tcp_connect": "socket.create_connection(('127.0.0.1', g['tcp']), 5)",
    "tcp_bind": "socket.socket().bind(('127.0.0.1', 0))",
    "tcp6_connect": "socket.create_connection(('::1', g['tcp6']), 5)",
    "mptcp_connect": "socket.socket(2, 1, 262).connect(('127.0.0.1', g['tcp']))",
    "udp_send": "socket.socket(2, 2).sendto(b'x', ('127.0.0.1', g['udp']))",
    "udp6": "socket.socket(10, 2)",
    "unix_path": "socket.socket(1).connect(g['unix'])",
    "unix_datagram": "socket.socket(1, 2).connect(g['datagram'])",
    "unix_abstract": "socket.socket(1).connect('\\0' + g['abstract'])",
    "netlink": "socket.socket(16, 3, 0).bind((0, 0))",
    "vsock": "socket.socket(40, 1)",
    "crypto_socket": "socket.socket(38, 5, 0)",
    "udp_lite": "socket.socket(2, 2, 136)",
    # other processes
    "signal": "os.kill(g['process'], 0)",
    "signal_by_pidfd": "signal.pidfd_send_signal(os.pidfd_open(g['process']), 0)",
    "signal_queued": """
about = struct.pack('iii', 0, 0, -1) + bytes(116)
call('rt_sigqueueinfo', g['process'], 0, about)
""",
    "signal_to_thread": "call('tkill', g['process'], 0)",
    "kcmp": "call('kcmp', os.getpid(), g['process'], 0, 0, 0)",
    "affinity": "os.sched_setaffinity(g['process'], os.sched_getaffinity(g['process']))",
    "priority": "os.setpriority(os.PRIO_PROCESS, g['process'], 0)",
    "priority_of_group": "os.setpriority(os.PRIO_PGRP, os.getpgid(g['process']), 0)",
    "scheduler": "os.sched_setscheduler(g['process'], os.SCHED_OTHER, os.sched_param(0))",
    "scheduling": "os.sched_setparam(g['process'], os.sched_param(0))",
    "scheduling_attributes": """
call('sched_setattr', g['process'], struct.pack('IIQiIQQQ', 48, 0, 0, 0, 0, 0, 0, 0), 0)
""",
    "disk_priority": "call('ioprio_set', 1, g['process'], 0)",
    "memory_pages": "call('move_pages', g['process'], 0, 0, 0, 0, 0)",
    "locks_of_another": """
head, length = ctypes.c_void_p(), ctypes.c_size_t()
call('get_robust_list', g['process'], ctypes.byref(head), ctypes.byref(length))
""",
    "cmdline": "open(f\"/proc/{g['process']}/cmdline\").read()",
    "namespace_of_another": "os.close(os.open(f\"/proc/{g['process']}/ns/mnt\", os.O_RDONLY))",
    "environ_of_parent": "open(f'/proc/{parent}/environ').read()",
    "memory_of_parent": "open(f'/proc/{parent}/mem', 'rb').close()",
    "shared_memory": """
libc.shmat.restype = ctypes.c_long
if libc.shmat(g['memory'], None, 0) == -1: raise OSError(ctypes.get_errno(), '')
""",
    "shared_memory_file": "open('/dev/shm' + g['shared']).read()",
    "shared_memory_changed": "open('/dev/shm' + g['shared'], 'r+').close()",
    "shared_memory_by_its_name": """
file = libc.shm_open(g['shared'].encode(), os.O_RDWR, 0)
if file < 0: raise OSError(ctypes.get_errno(), '')
""",
    "shared_memory_linked": """
os.link('/dev/shm' + g['shared'], '/dev/shm' + g['shared'] + '-too')
os.unlink('/dev/shm' + g['shared'] + '-too')
""",
    "shared_memory_removed": "os.unlink('/dev/shm' + g['shared'] + '-spare')",
    "list_shared_memory": """
if g['shared'][1:] not in os.listdir('/dev/shm'): raise OSError(errno.ENOENT, '')
""",
    "message_queue": """
if libc.mq_open(g['queue'].encode(), os.O_RDONLY) < 0: raise OSError(ctypes.get_errno(), '')
""",
    "ptrace": "call('ptrace', 0x4206, g['process'], 0, 0)",
    "process_vm_readv": """
data = ctypes.create_string_buffer(8)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(data), 8)
try: call('process_vm_readv', g['process'], vector, 1, vector, 1, 0)
except OSError as error:
    if error.errno != errno.EFAULT: raise
""",
    "process_vm_writev": """
data = ctypes.create_string_buffer(8)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(data), 8)
nowhere = (ctypes.c_void_p * 2)(0, 8)
past_rights('process_vm_writev', g['process'], vector, 1, nowhere, 1, 0)
""",
    "pidfd_getfd": "call('pidfd_getfd', os.pidfd_open(g['process']), 0, 0)",
    "prlimit": "resource.prlimit(g['process'], resource.RLIMIT_NOFILE)",
    "set_limits": "resource.prlimit(g['process'], resource.RLIMIT_CORE, (0, 0))",
    "environ": "open(f\"/proc/{g['process']}/environ\").read()",
    "environ_of_anybody": """
for name in os.listdir('/proc'):
    try: found = g['marker'] in open(f'/proc/{name}/environ').read()
    except (OSError, UnicodeError): continue
    if found: break
else:
    raise OSError(errno.ENOENT, '')
""",
    "descriptors": "os.listdir(f\"/proc/{g['process']}/fd\")",
    "descriptor_targets": "os.readlink(f\"/proc/{g['process']}/fd/0\")",
    "memory": "open(f\"/proc/{g['process']}/mem\", 'r+b', 0).close()",
    "pty": "os.close(os.open('/dev/ptmx', os.O_RDWR | os.O_NOCTTY))",
    # the kernel
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
    "whiteout": "os.mknod('white', stat.S_IFCHR, 0)",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS = {
    "device_mode": "os.chmod('/dev/null', 0o666)",
    "device_mode_by_descriptor": "os.fchmod(os.open('/dev/zero', os.O_RDONLY), 0o666)",
    "device_owner": "os.chown('/dev/null', os.getuid(), os.getgid())",
    "system_folder_mode": "os.chmod('/usr', stat.S_IMODE(os.stat('/usr').st_mode))",
    "system_folder_flags": "set_flags(os.open('/usr', os.O_RDONLY))",
    "write_etc": "p = f'/etc/custody-{os.getpid()}'; open(p, 'x').close(); os.unlink(p)",
    "write_usr": "p = f'/usr/custody-{os.getpid()}'; open(p, 'x').close(); os.unlink(p)",
    "read_shadow": "open('/etc/shadow').read()",
    "packet_socket": "socket.socket(17, 3, 0)",
    "raw_socket": "socket.socket(2, 3, 1)",
    "read_by_first_root": "open('/proc/1/root' + g['secret']).read()",
    "environ_of_first": "open('/proc/1/environ').read()",
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
    "kernel_log": "call('syslog', 10, 0, 0)",
    "fanotify": "call('fanotify_init', 0, 0)",
    "kernel_memory": "open('/proc/kcore', 'rb').close()",
    "sysrq": "open('/proc/sysrq-trigger', 'w').close()",
    "netlink_audit": "socket.socket(16, 3, 9)",
    "netlink_uevent": "socket.socket(16, 3, 15)",
    "mount_namespace": "call('unshare', 0x20000)",
    "network_namespace": "call('unshare', 0x40000000)",
    "cgroup_namespace": "call('unshare', 0x02000000)",
    "time_namespace": "call('unshare', 0x80)",
    "disk": """
found = [n for n in os.listdir('/dev') if re.fullmatch('(vd|sd|xvd)a|nvme0n1|loop0', n)]
if not found: raise OSError(errno.ENOENT, '')
os.close(os.open('/dev/' + found[0], os.O_RDONLY))
""",
    "chroot": "os.chroot('.')",
    "mount": "mounted('tmpfs')",
    "open_tree": "call('open_tree', -100, b'/', 1)",
    "fsopen": "call('fsopen', b'tmpfs', 0)",
    "setns": "call('setns', os.open('/proc/self/ns/net', os.O_RDONLY), 0)",
    "mknod": "os.mknod('device', stat.S_IFCHR, os.makedev(1, 3))",
    "open_by_handle": """
door = os.open(g['outside'], os.O_RDONLY)
call('open_by_handle_at', door, handle_of(g['secret']), os.O_RDONLY)
""",
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
    "device": "open('/dev/kmsg', 'rb').close()",
    "host_name": "socket.sethostname(socket.gethostname())",
    "terminal_input": """
import pty
master, slave = pty.openpty()
os.setsid()
fcntl.ioctl(slave, 0x540E, 0)
fcntl.ioctl(slave, 0x5412, b'x')
""",
}
"""What needs root."""

MAY_BE_MISSING = {
    "kernel_module": {"ENOSYS"},
    "kernel_module_file": {"ENOSYS"},
    "kexec": {"ENOSYS"},
    "swap": {"ENOSYS"},
    "disk": {"ENOENT", "EPERM"},
    "read_by_first_root": {"EACCES"},
    "environ_of_first": {"EACCES"},
    "kernel_memory": {"ENOENT"},
    "sysrq": {"ENOENT"},
    "netlink_audit": {"EPROTONOSUPPORT"},
    "crypto_socket": {"EAFNOSUPPORT"},
    "folder_attribute": {"EOPNOTSUPP"},
    "folder_flags": {"ENOTTY", "EOPNOTSUPP"},
    "input_attribute": {"EOPNOTSUPP"},
    "input_flags": {"ENOTTY", "EOPNOTSUPP"},
    "memory_pages": {"ENOSYS"},
    "system_folder_flags": {"ENOTTY", "EOPNOTSUPP"},
    "vsock": {"EAFNOSUPPORT"},
    "message_queue": {"ENOSYS"},
    "time_namespace": {"EINVAL"},
}
"""What a kernel can be built without, or a container can keep from its own root: told by one of
these errors where nothing is confined, and then the attempt proves nothing on that machine."""

MORE_NUMBERS = {
    "x86_64": {"rt_sigqueueinfo": 129, "tkill": 200},
    "aarch64": {"rt_sigqueueinfo": 138, "tkill": 130},
}
"""Calls that only the attempts make."""

DRIVER = """
import ctypes, errno, fcntl, json, os, re, resource, signal, socket, stat, struct, subprocess, sys
libc = ctypes.CDLL(None, use_errno=True)
parent = os.getppid()
with open('escape.json') as file:
    g = json.load(file)

def call(name, *arguments):
    words = [ctypes.c_long(a) if isinstance(a, int) else a for a in arguments]
    if (result := libc.syscall(g['numbers'][name], *words)) < 0:
        raise OSError(ctypes.get_errno(), name)
    return result

def past_rights(name, *arguments):
    try:
        call(name, *arguments)
    except OSError as error:
        if error.errno in (errno.EPERM, errno.EACCES, errno.ESRCH, errno.ENOSYS): raise

def made(name, mode=0o600):
    return os.open(name, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)

def has_bits(name, bits):
    if not os.stat(name).st_mode & bits: raise OSError(errno.EPERM, name)

def is_no_pipe(number):
    if stat.S_ISFIFO(os.fstat(number).st_mode): raise OSError(errno.EPERM, 'a pipe of its own')

def set_flags(number):
    flags = bytearray(8)
    fcntl.ioctl(number, 0x80086601, flags)
    fcntl.ioctl(number, 0x40086602, bytes(flags))

def held_capabilities(status):
    if not int(re.search('CapEff:(.*)', status)[1], 16): raise OSError(errno.EPERM, '')

def handle_of(path):
    handle = ctypes.create_string_buffer(struct.pack('II', 128, 0) + bytes(128))
    mount = ctypes.c_int()
    if libc.name_to_handle_at(-100, path.encode(), handle, ctypes.byref(mount), 0) < 0:
        raise OSError(ctypes.get_errno(), path)
    return handle

def mounted(kind):
    if libc.unshare(0x20000) < 0 or libc.mount(None, b'/', None, 0x44000, None) < 0:
        raise OSError(ctypes.get_errno(), kind)
    if libc.mount(b'x', b'.', kind.encode(), 0, None) < 0:
        raise OSError(ctypes.get_errno(), kind)

def attempt(text):
    reader, writer = os.pipe()
    if (child := os.fork()) == 0:
        try:
            os.umask(0)
            exec(text)
            told = 'ok'
        except OSError as error:
            told = errno.errorcode.get(error.errno, f'E: {error}')
        except BaseException as error:
            told = repr(error)
        os.write(writer, told.encode())
        os._exit(0)
    os.close(writer)
    told = os.read(reader, 1000).decode() or 'killed'
    os.close(reader)
    os.waitpid(child, 0)
    return told

print(json.dumps({name: attempt(text) for name, text in g['attempts'].items()}))
"""
