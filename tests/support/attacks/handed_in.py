"""What is about the things that are handed in; nothing is changed, but it could be."""

from __future__ import annotations

ATTEMPTS = {
    "rewrite_input": "os.pwrite(os.open('/proc/self/fd/0', os.O_RDWR), b'i', 0)",
    "input_mode": "os.fchmod(0, stat.S_IMODE(os.fstat(0).st_mode)); is_no_pipe(0)",
    "input_mode_by_name": "os.chmod('/proc/self/fd/0', 0o644); is_no_pipe(0)",
    "input_times": "os.utime(0); is_no_pipe(0)",
    "input_owner": "os.fchown(0, os.getuid(), os.getgid()); is_no_pipe(0)",
    "input_attribute": "os.setxattr(0, 'user.custody', b'x'); is_no_pipe(0)",
    "input_flags": "set_flags(0); is_no_pipe(0)",
    "device_times": "os.utime('/dev/null')",
    "folder_mode": "os.chmod(g['shown'], 0o755)",
    "folder_times": "os.utime(g['shown'])",
    "folder_owner": "os.chown(g['shown'], os.getuid(), os.getgid())",
    "folder_attribute": "os.setxattr(g['shown'], 'user.custody', b'x')",
    "folder_flags": "set_flags(os.open(g['shown'], os.O_RDONLY))",
    "folder_create": "made(g['shown'] + '/new')",
    "output_mode": "os.fchmod(1, 0o644); is_no_pipe(1)",
    "output_mode_by_name": "os.chmod('/dev/stdout', 0o644); is_no_pipe(1)",
    "output_times": "os.utime(1); is_no_pipe(1)",
    "output_owner": "os.fchown(1, os.getuid(), os.getgid()); is_no_pipe(1)",
    "output_attribute": "os.setxattr(1, 'user.custody', b'x'); is_no_pipe(1)",
    "output_flags": "set_flags(1); is_no_pipe(1)",
    "output_read_back": "os.read(os.open('/proc/self/fd/1', os.O_RDONLY), 0); is_no_pipe(1)",
    "output_truncate": "os.ftruncate(1, 0)",
    "error_mode": "os.fchmod(2, 0o644); is_no_pipe(2)",
    "error_times": "os.utime(2); is_no_pipe(2)",
    "error_truncate": "os.ftruncate(2, 0)",
    "device_times_by_descriptor": "os.utime(os.open('/dev/zero', os.O_RDONLY))",
    "folder_access_list": "set_access_list(g['shown'])",
    "folder_project": "set_project(os.open(g['shown'], os.O_RDONLY))",
    "folder_byte_code": "os.mkdir(g['shown'] + '/__pycache__')",
    "folder_watched_by_signal": "fcntl.fcntl(os.open(g['shown'], os.O_RDONLY), fcntl.F_NOTIFY, 2)",
    "tool_mode": "os.chmod(g['shown'] + '/tool', 0o755)",
    "tool_mode_by_descriptor": "os.fchmod(os.open(g['shown'] + '/tool', os.O_RDONLY), 0o755)",
    "tool_times": "os.utime(g['shown'] + '/tool')",
    "tool_owner": "os.chown(g['shown'] + '/tool', os.getuid(), os.getgid())",
    "tool_attribute": "os.setxattr(g['shown'] + '/tool', 'user.custody', b'x')",
    "tool_flags": "set_flags(os.open(g['shown'] + '/tool', os.O_RDONLY))",
    "tool_append": "open(g['shown'] + '/tool', 'a').close()",
    "tool_truncate": "os.open(g['shown'] + '/tool', os.O_RDONLY | os.O_TRUNC)",
    "tool_link": "os.link(g['shown'] + '/tool', 'linked_tool')",
    "tool_lease": "fcntl.fcntl(os.open(g['shown'] + '/tool', os.O_RDONLY), fcntl.F_SETLEASE, 0)",
    "tool_version": "set_version(os.open(g['shown'] + '/tool', os.O_RDONLY))",
    "tool_life_time": """
fcntl.fcntl(os.open(g['shown'] + '/tool', os.O_RDONLY), 1036, struct.pack('Q', 2))
""",
    "tool_sealed": "command(g['shown'] + '/tool', 0x40806685, bytes(128))",
    "folder_encrypted": "command(g['shown'], 0x800C6613, bytes(12))",
    "folder_key": "command(g['shown'], 0xC0506617, bytes(80))",
    "folder_subvolume": "command(g['shown'], 0x5000940E, bytes(8) + b'..' + bytes(4086))",
    "folder_snapshot": "command(g['shown'], 0x50009401, bytes(8) + b'..' + bytes(4086))",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS = {
    "device_mode": "os.chmod('/dev/null', 0o666)",
    "device_mode_by_descriptor": "os.fchmod(os.open('/dev/zero', os.O_RDONLY), 0o666)",
    "device_owner": "os.chown('/dev/null', os.getuid(), os.getgid())",
    "system_folder_mode": "os.chmod('/usr', stat.S_IMODE(os.stat('/usr').st_mode))",
    "system_folder_version": "set_version(os.open('/usr', os.O_RDONLY))",
    "system_folder_flags": "set_flags(os.open('/usr', os.O_RDONLY))",
    "device_attribute": """
os.setxattr('/dev/null', 'trusted.custody', b'x')
os.removexattr('/dev/null', 'trusted.custody')
""",
    "device_new": """
path = f'/dev/custody-{os.getpid()}'
os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 3))
os.unlink(path)
""",
    "device_entropy": "fcntl.ioctl(os.open('/dev/random', os.O_RDWR), 0x40045201, bytes(4))",
    "system_folder_times": """
now = os.stat('/usr')
os.utime('/usr', ns=(now.st_atime_ns, now.st_mtime_ns))
""",
    "system_folder_owner": "os.chown('/usr', os.stat('/usr').st_uid, os.stat('/usr').st_gid)",
    "system_folder_attribute": """
os.setxattr('/usr', 'user.custody', b'x')
os.removexattr('/usr', 'user.custody')
""",
}
"""What needs root."""
