"""Ways out of a sandbox, each as a few lines of Python, by what they are after.

An attempt succeeds when it raises nothing. All of them run as children of one driver, which
prints what became of each: ``ok`` or the name of the error. Those of `left.LEFT` have two parts:
the second is tried by another program, which begins when the first has ended. Of some the world
outside knows better whether they reached it, see `support.escape_world`. `custody`'s levels
are tried in tests/sandbox/test_escapes.py, other sandboxes in benchmarks/subjects/attacks.py.
"""

from __future__ import annotations

from types import ModuleType

from support.attacks import files, handed_in, kernel, left, network, processes, told

_MODULES: dict[str, ModuleType] = {
    "files outside": files,
    "what is handed in": handed_in,
    "what can be learnt": told,
    "what is left behind": left,
    "network": network,
    "other processes": processes,
    "kernel and rights": kernel,
}


def attempts(*, root: bool) -> dict[str, str]:
    """Return what one program tries, and more of it that only ``root`` can."""
    return {
        name: text for module in _MODULES.values() for name, text in _of(module, root=root).items()
    }


def kinds(*, root: bool) -> dict[str, str]:
    """Return every attempt that there is, and what it is after."""
    return {
        **{name: kind for kind, module in _MODULES.items() for name in _of(module, root=root)},
        **dict.fromkeys((*left.LEFT, *left.OUTLIVING), "what is left behind"),
    }


def _of(module: ModuleType, *, root: bool) -> dict[str, str]:
    return {**module.ATTEMPTS, **(module.ROOT_ATTEMPTS if root else {})}


MAY_BE_MISSING = {
    "control_group": {"ENOENT"},
    "crypto_socket": {"EAFNOSUPPORT"},
    "device_attribute": {"EOPNOTSUPP"},
    "disk": {"ENOENT", "EPERM"},
    "dump_core": {"EPERM"},
    "dump_core_to_a_program": {"EPERM"},
    "environ_of_first": {"EACCES"},
    "fanotify_unprivileged": {"EPERM", "ENOSYS"},
    "descriptor_of_another_namespace": {"ENOTTY"},
    "file_for_good": {"ENOTTY", "EOPNOTSUPP"},
    "file_getattr": {"ENOSYS", "ENOTTY", "EOPNOTSUPP"},
    "folder_access_list": {"EOPNOTSUPP"},
    "folder_attribute": {"EOPNOTSUPP"},
    "folder_flags": {"ENOTTY", "EOPNOTSUPP"},
    "folder_project": {"ENOTTY", "EOPNOTSUPP"},
    "folder_watched_by_signal": {"EINVAL"},
    "fuse": {"ENOENT", "EPERM", "ENODEV"},
    "getxattr": {"ENODATA", "EOPNOTSUPP"},
    "git_settings_of_the_user": {"ENOENT"},
    "input_attribute": {"EOPNOTSUPP"},
    "input_flags": {"ENOTTY", "EOPNOTSUPP"},
    "kernel_areas": {"ENOENT"},
    "kernel_memory": {"ENOENT"},
    "kernel_module": {"ENOSYS"},
    "kernel_module_file": {"ENOSYS"},
    "kernel_page_owners": {"ENOENT"},
    "kernel_page_types": {"ENOENT"},
    "kernel_pages": {"ENOENT"},
    "kernel_slabs": {"ENOENT"},
    "kernel_timers": {"ENOENT"},
    "kexec": {"ENOSYS"},
    "kexec_file": {"ENOSYS"},
    "keys": {"ENOENT"},
    "large_pipe": {"EPERM"},
    "left_in_home_of_the_user": {"ENOENT", "EACCES"},
    "left_key": {"ENOSYS"},
    "left_queue": {"ENOSYS"},
    "list_mounts_by_call": {"ENOSYS"},
    "loop_devices": {"ENOENT", "EPERM"},
    "memory_pages": {"ENOSYS"},
    "message_queue": {"ENOSYS"},
    "migrate_pages": {"ENOSYS"},
    "netlink_audit": {"EPROTONOSUPPORT"},
    "output_attribute": {"EOPNOTSUPP"},
    "output_flags": {"ENOTTY", "EOPNOTSUPP"},
    "pages_of_another": {"ENOENT"},
    "raise_open_files": {"EPERM"},
    "raise_processes": {"EPERM"},
    "read_by_first_root": {"EACCES"},
    "request_key": {"ENOSYS"},
    "swap": {"ENOSYS"},
    "swap_off": {"ENOSYS"},
    "sysrq": {"ENOENT"},
    "system_folder_attribute": {"EOPNOTSUPP"},
    "system_folder_flags": {"ENOTTY", "EOPNOTSUPP"},
    "system_folder_version": {"ENOTTY", "EOPNOTSUPP"},
    "time_namespace": {"EINVAL"},
    "tool_attribute": {"EOPNOTSUPP"},
    "tool_flags": {"ENOTTY", "EOPNOTSUPP"},
    "tool_version": {"ENOTTY", "EOPNOTSUPP"},
    "tunnel": {"ENOENT", "EPERM", "ENODEV"},
    "unload_module": {"ENOSYS"},
    "vsock": {"EAFNOSUPPORT"},
}
"""What a kernel can be built without, or a container can keep from its own root: told by one of
these errors where nothing is confined, and then the attempt proves nothing on that machine."""

_NEW_NUMBERS = {"listmount": 458, "file_getattr": 468}
MORE_NUMBERS = {
    "x86_64": {"rt_sigqueueinfo": 129, "tkill": 200, **_NEW_NUMBERS},
    "aarch64": {"rt_sigqueueinfo": 138, "tkill": 130, **_NEW_NUMBERS},
}
"""Calls that only the attempts make."""
