"""Other processes, and what processes share."""

from __future__ import annotations

ATTEMPTS = {
    "signal": "os.kill(g['process'], 0)",
    "signal_by_pidfd": "signal.pidfd_send_signal(os.pidfd_open(g['process']), 0)",
    "signal_queued": """
about = struct.pack('iii', 0, 0, -1) + bytes(116)
call('rt_sigqueueinfo', g['process'], 0, about)
""",
    "signal_to_thread": "call('tkill', g['process'], 0)",
    "signal_by_pipe": """
reader, writer = os.pipe()
fcntl.fcntl(reader, fcntl.F_SETOWN, g['process'])
stopped_by(reader, writer)
""",
    "signal_by_pipe_to_group": """
reader, writer = os.pipe()
fcntl.fcntl(reader, fcntl.F_SETOWN, -g['process'])
stopped_by(reader, writer)
""",
    "signal_by_pipe_to_thread": """
reader, writer = os.pipe()
fcntl.fcntl(reader, 15, struct.pack('ii', 0, g['process']))
stopped_by(reader, writer)
""",
    "signal_by_socket": """
near, far = socket.socketpair()
fcntl.ioctl(near, 0x8901, struct.pack('i', g['process']))
stopped_by(near.fileno(), far.fileno())
""",
    "kcmp": "call('kcmp', os.getpid(), g['process'], 0, 0, 0)",
    "affinity": "os.sched_setaffinity(g['process'], os.sched_getaffinity(g['process']))",
    "priority": """
now = os.getpriority(os.PRIO_PROCESS, g['process'])
os.setpriority(os.PRIO_PROCESS, g['process'], now)
""",
    "priority_of_group": """
now = os.getpriority(os.PRIO_PROCESS, g['process'])
os.setpriority(os.PRIO_PGRP, os.getpgid(g['process']), now)
""",
    "scheduler": "os.sched_setscheduler(g['process'], os.SCHED_OTHER, os.sched_param(0))",
    "scheduling": "os.sched_setparam(g['process'], os.sched_param(0))",
    "scheduling_attributes": """
now = os.getpriority(os.PRIO_PROCESS, g['process'])
call('sched_setattr', g['process'], struct.pack('IIQiIQQQ', 48, 0, 0, now, 0, 0, 0, 0), 0)
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
    "shared_memory_removed": """
spare = '/dev/shm' + g['shared'] + '-spare'
os.unlink(spare)
open(spare, 'w').close()
""",
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
    "state_of_another": "open(f\"/proc/{g['process']}/stat\").read()",
    "limits_of_another": "open(f\"/proc/{g['process']}/limits\").read()",
    "mounts_of_another": "open(f\"/proc/{g['process']}/mountinfo\").read()",
    "groups_of_another": "open(f\"/proc/{g['process']}/cgroup\").read()",
    "end_of_another": "os.close(os.pidfd_open(g['process']))",
    "maps_of_another": "open(f\"/proc/{g['process']}/maps\").read()",
    "pages_of_another": "open(f\"/proc/{g['process']}/numa_maps\").read()",
    "call_of_another": "open(f\"/proc/{g['process']}/syscall\").read()",
    "name_of_another": "open(f\"/proc/{g['process']}/comm\", 'r+').close()",
    "timer_slack_of_another": "open(f\"/proc/{g['process']}/timerslack_ns\", 'r+').close()",
    "descriptor_of_another_namespace": """
fcntl.ioctl(os.pidfd_open(g['process']), 0xFF03)
""",
    "session_of_another": "os.getsid(g['process'])",
    "processors_of_another": "os.sched_getaffinity(g['process'])",
    "io_of_another": "open(f\"/proc/{g['process']}/io\").read()",
    "oom_score_of_another": "open(f\"/proc/{g['process']}/oom_score_adj\", 'r+').close()",
    "page_marks_of_another": "open(f\"/proc/{g['process']}/clear_refs\", 'w').close()",
    "dump_filter_of_another": "open(f\"/proc/{g['process']}/coredump_filter\", 'r+').close()",
    "migrate_pages": "past_rights('migrate_pages', g['process'], 0, 0, 0)",
    "reap_memory": "past_rights('process_mrelease', os.pidfd_open(g['process']), 0)",
    "semaphore": "call('semctl', g['semaphore'], 0, 12, 0)",
    "old_message_queue": "call('msgctl', g['messages'], 2, ctypes.create_string_buffer(256))",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS = {
    "environ_of_first": "open('/proc/1/environ').read()",
    "setns": "call('setns', os.open('/proc/self/ns/net', os.O_RDONLY), 0)",
    "advise_another": """
data = ctypes.create_string_buffer(8)
vector = (ctypes.c_void_p * 2)(ctypes.addressof(data), 8)
past_rights('process_madvise', os.pidfd_open(g['process']), vector, 1, 20, 0)
""",
    "enter_process": "call('setns', os.pidfd_open(g['process']), 0x40000000)",
    "stack_of_another": "open(f\"/proc/{g['process']}/stack\").read()",
}
"""What needs root."""
