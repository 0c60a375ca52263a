"""Files outside: read, changed, moved, or found by what PATH and HOME bring along."""

from __future__ import annotations

ATTEMPTS = {
    "read": "open(g['secret']).read()",
    "read_upwards": "open('../' * 30 + g['secret']).read()",
    "read_by_proc_root": "open(f\"/proc/{g['process']}/root\" + g['secret']).read()",
    "read_by_own_root": "open('/proc/self/root' + g['secret']).read()",
    "read_by_proc_cwd": "open(f\"/proc/{g['process']}/cwd/secret.txt\").read()",
    "run": "subprocess.run([g['outside'] + '/program'], check=True)",
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
    "list_home": """
if 'letter.txt' not in os.listdir(g['home']): raise OSError(errno.ENOENT, '')
""",
    "read_home": "open(g['home'] + '/letter.txt').read()",
    "list_run": """
if 'journal.jsonl' not in os.listdir(g['run']): raise OSError(errno.ENOENT, '')
""",
    "hardlink": "os.link(g['secret'], 'linked')",
    "rename_in": "os.rename(g['outside'] + '/movable', 'moved')",
    "rename_out": "open('mine', 'w').close(); os.rename('mine', g['outside'] + '/mine')",
    "stat": "os.stat(g['secret'])",
    "chmod": "os.chmod(g['secret'], 0o600)",
    "utime": "os.utime(g['secret'])",
    "setxattr": "os.setxattr(g['secret'], 'user.custody', b'x')",
    "listxattr": "os.listxattr(g['secret'])",
    "getxattr": "os.getxattr(g['noted'], 'user.note')",
    "file_getattr": """
call('file_getattr', -100, g['secret'].encode(), ctypes.create_string_buffer(64), 24, 0)
""",
    "readlink": "os.readlink(g['outside'] + '/link')",
    "statfs": "os.statvfs(g['outside'])",
    "work_there": "os.chdir(g['outside'])",
    "chown": "os.chown(g['secret'], os.getuid(), os.getgid())",
    "watch": """
door = libc.inotify_init1(0)
if libc.inotify_add_watch(door, g['secret'].encode(), 2) < 0:
    raise OSError(ctypes.get_errno(), '')
""",
    "name_to_handle": "handle_of(g['secret'])",
    "holdout_read": "open('holdout/answer.txt').read()",
    "holdout_name": "if 'holdout' not in os.listdir('.'): raise OSError(errno.ENOENT, '')",
    "read_beside_venv": "open(g['project'] + '/.env').read()",
    "read_beside_local_bin": "open(g['home'] + '/.local/share/wallet').read()",
    "read_go_source": "open(g['home'] + '/go/src/private.go').read()",
    "read_cargo_credentials": "open(g['home'] + '/.cargo/credentials.toml').read()",
    "read_by_link_on_path": "open(g['shown'] + '/link/secret.txt').read()",
    "read_ssh_key": "open(g['home'] + '/.ssh/id_ed25519').read()",
    "read_netrc": "open(g['home'] + '/.netrc').read()",
    "read_gitconfig": "open(g['home'] + '/.gitconfig').read()",
    "git_settings_of_the_user": """
told = subprocess.run(['git', 'config', '--global', 'user.email'], capture_output=True, text=True)
if 'private' not in told.stdout: raise OSError(errno.ENOENT, '')
""",
    "write_home": "os.close(os.open(g['home'] + '/.gitconfig', os.O_WRONLY))",
    "read_record": "open(g['run'] + '/journal.jsonl').read()",
    "read_record_beside": "open('../journal.jsonl').read()",
    "write_record": "os.close(os.open(g['run'] + '/journal.jsonl', os.O_WRONLY))",
}
"""What an ordinary user can do."""

ROOT_ATTEMPTS = {
    "write_etc": "p = f'/etc/custody-{os.getpid()}'; open(p, 'x').close(); os.unlink(p)",
    "write_usr": "p = f'/usr/custody-{os.getpid()}'; open(p, 'x').close(); os.unlink(p)",
    "read_shadow": "open('/etc/shadow').read()",
    "read_by_first_root": "open('/proc/1/root' + g['secret']).read()",
    "open_by_handle": """
door = os.open(g['outside'], os.O_RDONLY)
call('open_by_handle_at', door, handle_of(g['secret']), os.O_RDONLY)
""",
    "disk": """
found = [n for n in os.listdir('/dev') if re.fullmatch('(vd|sd|xvd)a|nvme0n1|loop0', n)]
if not found: raise OSError(errno.ENOENT, '')
os.close(os.open('/dev/' + found[0], os.O_RDONLY))
""",
    "write_var": "open('/var/' + g['mark'], 'w').close()",
    "write_run": "open('/run/' + g['mark'], 'w').close()",
}
"""What needs root."""
