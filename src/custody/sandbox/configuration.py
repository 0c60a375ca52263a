"""What programs see of /etc: what they need of it, as far as everybody may read it.

Root, who owns what is closed to others, and members of a group that may read it, such as that of
the machine's keys, see no more of it than anybody else.
"""

from __future__ import annotations

from custody.store.places import open_to_all

CONFIGURATION = (
    "alternatives", "crypto-policies", "debian_version", "java-11-openjdk", "java-17-openjdk",
    "java-21-openjdk", "java-25-openjdk", "ld.so.cache", "localtime", "lsb-release", "mime.types",
    "os-release", "protocols", "python3", "python3.11", "python3.12", "python3.13",
    "python3.14", "redhat-release", "services", "system-release",
)  # fmt: skip
"""What of /etc programs need and everybody may know."""
OF_THIS_MACHINE = (
    "bash.bashrc", "environment", "fonts", "gitconfig", "group", "inputrc", "ld.so.conf",
    "ld.so.conf.d", "locale.alias", "locale.conf", "login.defs", "mailcap", "npmrc", "passwd",
    "perl", "pip.conf", "profile", "profile.d", "shells", "terminfo", "timezone",
)  # fmt: skip
"""What programs at L2 find in /etc beside that: a file that is there and closed stops many."""
NAME_SERVICE = ("host.conf", "gai.conf", "hosts", "nsswitch.conf", "resolv.conf")
"""What of /etc is needed to reach the network."""
CERTIFICATES = {"pki": 3, "ssl": 2}
"""Folders of certificates, and how deep to look in them for what must not be shown: keys."""


def shown_of_etc(*, names: bool, machine: bool, etc: str = "/etc") -> list[str]:
    """Return the paths, some of which may not be there; a part stands for a folder that is mixed.

    With ``names`` what it takes to reach the network, and with ``machine`` what is about this one.
    """
    wanted = [
        *CONFIGURATION,
        *(NAME_SERVICE if names else ()),
        *(OF_THIS_MACHINE if machine else ()),
    ]
    depths = dict.fromkeys(wanted, 0) | CERTIFICATES
    among = (*(f"{etc}/{name}" for name in CERTIFICATES), "/usr")
    return [
        path
        for name, depth in depths.items()
        for path in open_to_all(f"{etc}/{name}", depth, among)
    ]
