"""What can be learnt of the machine, of the run, and of what the runtime was told."""

from __future__ import annotations

ATTEMPTS = {
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
    "list_sys": "os.listdir('/sys/kernel')",
    "run_directory_in_mounts": """
told = ''.join(open(f'/proc/self/{name}').read() for name in ('mountinfo', 'mountstats', 'maps'))
if g['run'] + '/' not in told + os.getcwd() + '/': raise OSError(errno.ENOENT, '')
""",
    "run_directory_in_variables": """
if not any(g['run'] in value for value in [*os.environ.values(), os.getcwd()]):
    raise OSError(errno.ENOENT, '')
""",
    "variable_of_the_caller": """
if g['token'] not in os.environ.values(): raise OSError(errno.ENOENT, '')
""",
    "control_group": """
if not any(line in open('/proc/self/cgroup').read() for line in g['groups']):
    raise OSError(errno.ENOENT, '')
""",
    "kernel_command_line": "told_by('/proc/cmdline')",
    "keys": "found_in('/proc/keys', g['key'])",
    "list_mounts": "told_by('/proc/self/mounts')",
    "list_mounts_by_call": """
asked, found = struct.pack('IIQQQ', 32, 0, 2**64 - 1, 0, 0), (ctypes.c_uint64 * 64)()
if not call('listmount', asked, found, 64, 0): raise OSError(errno.ENOENT, '')
""",
    "list_sockets": "found_in('/proc/net/unix', g['unix'])",
    "list_connections": "found_in('/proc/net/tcp', f\":{g['tcp']:04X} \")",
    "list_locks": "found_in('/proc/locks', f\":{g['locked']} \")",
    "list_memory_segments": "found_in('/proc/sysvipc/shm', f\" {g['memory']} \")",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS = {
    "kernel_log": "call('syslog', 10, 0, 0)",
    "kernel_memory": "open('/proc/kcore', 'rb').close()",
    "device": "open('/dev/kmsg', 'rb').close()",
    "kernel_pages": "told_by('/proc/kpageflags')",
    "kernel_page_owners": "told_by('/proc/kpagecgroup')",
    "kernel_timers": "told_by('/proc/timer_list')",
    "kernel_page_types": "told_by('/proc/pagetypeinfo')",
    "kernel_slabs": "told_by('/proc/slabinfo')",
    "kernel_areas": "told_by('/proc/vmallocinfo')",
}
"""What needs root."""
