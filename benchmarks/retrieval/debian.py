"""The patches of Debian's packages: real changes of thousands of projects, in their authors' words.

python -m benchmarks.retrieval.debian FOLDER

makes FOLDER/first and FOLDER/second, each with a folder for each package. No package is in both,
and which one it is in follows from its name alone. The server is the one that apt is set up with;
what it does not have is left out, so two servers may give two corpora: a corpus tells its hash.
"""

from __future__ import annotations

import hashlib
import http.client
import io
import lzma
import os
import queue
import re
import subprocess
import sys
import tarfile
import threading
from collections.abc import Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

SUITES = ("{}", "unstable")
"""The release of this machine, and what is newest."""
SIZES = range(8_000, 2_000_000)
"""Bytes of what a package adds to its source: with less there is hardly a patch in it."""
MOST = 5_000
"""Packages that are asked for, in the order of the hashes of their names."""
AT_ONCE = 12
SECONDS = 30.0
_LONGEST = 1 << 19
_FOUND = 200
_PLACE = re.compile(r"^Directory: (.*)$", re.MULTILINE)
_FILE = re.compile(r"^ [0-9a-f]{64} (\d+) (\S+\.debian\.tar\.xz)$", re.MULTILINE)
_PATCHES = "debian/patches/"


class Package(NamedTuple):
    """A package, and where what was added to its source is."""

    name: str
    path: str

    @property
    def order(self) -> bytes:
        """By what it is chosen."""
        return hashlib.sha256(self.name.encode()).digest()


def main(folder: str) -> None:
    """Fetch what is missing."""
    server, codename = _set_up()
    packages: dict[str, Package] = {}
    for suite in SUITES:
        for package in _listed(server, suite.format(codename)):
            packages.setdefault(package.name, package)
    chosen = sorted(packages.values(), key=lambda package: package.order)[:MOST]
    count = fetch(server, chosen, folder)
    sys.stderr.write(f"{count:,} patches of {len(chosen):,} packages\n")


def fetch(server: str, packages: list[Package], folder: str) -> int:
    """Unpack the patches of packages; return how many these are."""
    waiting: queue.SimpleQueue[Package] = queue.SimpleQueue()
    for package in packages:
        waiting.put(package)
    counts: list[int] = []
    threads = [
        threading.Thread(target=lambda: counts.append(_fetch(server, waiting, folder)))
        for _ in range(AT_ONCE)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sum(counts)


def _set_up() -> tuple[str, str]:
    words = ["apt-get", "indextargets", "--format", "$(SITE) $(CODENAME)", "Identifier: Packages"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    server, _, codename = done.stdout.partition("\n")[0].partition(" ")
    return server, codename


def _listed(server: str, suite: str) -> Iterator[Package]:
    data = _get(_connection(server), f"{_path(server)}/dists/{suite}/main/source/Sources.xz")
    for told in lzma.decompress(data).decode(errors="replace").split("\n\n"):
        place, file = _PLACE.search(told), _FILE.search(told)
        if place and file and int(file[1]) in SIZES:
            yield Package(file[2].partition("_")[0], f"{place[1]}/{file[2]}")


def _fetch(server: str, waiting: queue.SimpleQueue[Package], folder: str) -> int:
    connection, count = _connection(server), 0
    while True:
        try:
            package = waiting.get_nowait()
        except queue.Empty:
            return count
        try:
            data = _get(connection, f"{_path(server)}/{package.path}")
        except (OSError, http.client.HTTPException):
            connection.close()  # the next request opens another
            continue
        half = "second" if package.order[-1] % 2 else "first"
        count += unpack(data, os.path.join(folder, half, package.name))


def unpack(data: bytes, folder: str) -> int:
    """Write the patches of a package into a folder; return how many these are."""
    count = 0
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        for member in archive:
            content = archive.extractfile(member) if member.isfile() else None
            name = member.name.removeprefix("./").removeprefix(_PATCHES).replace("/", "_")
            if content is None or _PATCHES not in member.name or member.size > _LONGEST:
                continue
            os.makedirs(folder, exist_ok=True)
            with open(os.path.join(folder, name), "wb") as file:
                file.write(content.read())
            count += 1
    return count


def _connection(server: str) -> http.client.HTTPConnection:
    parts = urlsplit(server)
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    return kind(parts.netloc, timeout=SECONDS)


def _path(server: str) -> str:
    return urlsplit(server).path.rstrip("/")


def _get(connection: http.client.HTTPConnection, path: str) -> bytes:
    """Return a file; nothing where there is none raises `OSError`."""
    connection.request("GET", path)
    with connection.getresponse() as answer:
        data = answer.read()
    if answer.status != _FOUND:
        raise OSError(f"{path}: {answer.status}")
    return data


if __name__ == "__main__":
    main(sys.argv[1])
