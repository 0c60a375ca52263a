"""A directory that nothing leaves.

Every file of a run, and every file of a tree that an agent can reach, is read and written
through a `Root`. It holds a descriptor; names are resolved below it without following any
symlink (`custody.store.resolve`), so that neither a prepared tree nor a race leads outside.

A name is a `RelPath`, or a plain `str` that custody made itself or found by listing a
directory. Such a text may hold anything the file system allows, but no empty, ``.`` or ``..``
component. An empty text means the root itself where a directory is asked for.

Refusals are `PathRefused` with a stable code, and a disk that fails is `StorageFailed`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from types import TracebackType
from typing import Self, TypeVar

from custody.errors import PathRefused, StorageFailed
from custody.model.relpath import RelPath, caseless
from custody.patterns import later
from custody.store import create_once, files
from custody.store.os_errors import failure
from custody.store.resolve import DIRECTORY, Resolver, beneath

READ_LIMIT = 256 << 20
"""Most bytes that are read into memory at once."""
DIGEST_LIMIT = 64 << 30
"""Most bytes of a file that is hashed or copied; sparse files can claim to be larger."""

_RELATIVE = later(r"(?!\.{1,2}(?:/|\Z))[^/\0]+(?:/(?!\.{1,2}(?:/|\Z))[^/\0]+)*")
_REPLACED_TIMES = 100
"""How often reading begins again when the file is replaced by a newer one meanwhile."""

_T = TypeVar("_T")


class Root:
    """An open directory; a context manager that closes it."""

    __slots__ = ("_resolve", "fd", "path")

    def __init__(self, fd: int, path: str, resolver: Resolver = beneath) -> None:
        self.fd = fd
        self.path = path
        """Where it was when it was opened; for messages."""
        self._resolve = resolver

    @classmethod
    def open(cls, path: str, *, resolver: Resolver = beneath) -> Self:
        """Open the directory at ``path``, a place that the user named: symlinks are followed."""
        try:
            return cls(os.open(path, DIRECTORY), path, resolver)
        except OSError as error:
            raise failure(error, path, reading=True) from error

    def close(self) -> None:
        """Give the descriptor back; closing twice is harmless."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def sub(self, path: RelPath | str, *, resolver: Resolver | None = None) -> Root:
        """Open a directory below as a root of its own."""
        fd = self.open_dir(path)
        return Root(fd, self._where(path), resolver or self._resolve)

    def read(self, path: RelPath | str, *, limit: int = READ_LIMIT, links: int = 1) -> bytes:
        """Return the whole content of a plain file, of one version of it.

        It may have as many names as ``links`` says.
        """
        return self._of_file(path, limit, partial(files.read_all, links=links))

    def digest(self, path: RelPath | str, *, limit: int = DIGEST_LIMIT) -> tuple[str, int]:
        """Return sha256 and size of a plain file, of one version of it."""
        return self._of_file(path, limit, files.digest)

    def _of_file(self, path: RelPath | str, limit: int, use: Callable[[int, int], _T]) -> _T:
        for _ in range(_REPLACED_TIMES):
            fd = self.open_fd(path, files.READ)
            try:
                return use(fd, limit)
            except PathRefused as refused:
                if refused.code != "changed_during_read" or not self._replaced(path, fd):
                    raise _at(refused, self._where(path)) from None
            except OSError as error:
                raise failure(error, self._where(path), reading=True) from error
            finally:
                os.close(fd)
        raise PathRefused("changed_during_read", "it never holds still", where=self._where(path))

    def _replaced(self, path: RelPath | str, fd: int) -> bool:
        """Whether the name leads to another file than the open one by now."""
        return not self.exists(path) or not os.path.samestat(self.stat(path), os.fstat(fd))

    def open_fd(self, path: RelPath | str, flags: int, mode: int = 0o644) -> int:
        """Open whatever stands there and return its descriptor; the caller looks at what it is."""
        try:
            return self._resolve(self.fd, _name(path), flags | os.O_CLOEXEC, mode)
        except OSError as error:
            reading = not flags & (os.O_WRONLY | os.O_RDWR)
            raise failure(error, self._where(path), reading=reading) from error

    def open_dir(self, path: RelPath | str = "") -> int:
        """Open a directory below, or the root once more, and return its descriptor."""
        if path != "":
            return self.open_fd(path, DIRECTORY)
        try:
            return os.open(".", DIRECTORY, dir_fd=self.fd)
        except OSError as error:
            raise failure(error, self.path, reading=True) from error

    def stat(self, path: RelPath | str) -> os.stat_result:
        """Return the state of what stands there, of a symlink itself."""
        try:
            with self.parent(_name(path)) as (folder, name):
                return os.stat(name, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            raise failure(error, self._where(path), reading=True) from error

    def exists(self, path: RelPath | str) -> bool:
        """Whether anything stands there; False as well where a part of the path is missing."""
        try:
            with self.parent(_name(path)) as (folder, name):
                os.stat(name, dir_fd=folder, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return False
        except OSError as error:
            raise failure(error, self._where(path), reading=True) from error
        return True

    @contextmanager
    def scan(self, path: RelPath | str = "") -> Iterator[Iterator[os.DirEntry[str]]]:
        """Go through a directory; the entries' ``stat`` works while the context lasts."""
        fd = self.open_dir(path)
        try:
            with os.scandir(fd) as entries:
                yield entries
        except OSError as error:
            raise failure(error, self._where(path), reading=True) from error
        finally:
            os.close(fd)

    def names(self, path: RelPath | str = "") -> list[str]:
        """Return the names in a directory, sorted."""
        with self.scan(path) as entries:
            return sorted(entry.name for entry in entries)

    def refuse_case_collision(self, path: RelPath) -> None:
        """Raise ``case_collision`` when a name there differs from ``path`` only by case."""
        for depth, part in enumerate(path.parts):
            folder = "/".join(path.parts[:depth])
            try:
                there = self.names(folder)
            except PathRefused as refused:
                if refused.code in {"missing", "not_directory"}:
                    return
                raise
            if part in there:
                continue
            if twin := next((name for name in there if caseless(name) == caseless(part)), None):
                raise PathRefused(
                    "case_collision", f"{twin!r} is there already", where=self._where(path)
                )

    def write(
        self,
        path: RelPath | str,
        data: bytes | Iterable[bytes],
        *,
        mode: int | None = None,
        sync: bool = False,
        parents: bool = True,
    ) -> None:
        """Put a file there, new or in the place of a plain one, whole or not at all.

        It is always a new inode. ``mode`` is exact; without it the file is 0644 less the umask.
        What is much may come in pieces. With ``sync`` it is durable on return.
        """
        try:
            with self.parent(_name(path), create=parents, sync=sync) as (folder, name):
                files.put(folder, name, data, mode, sync=sync)
        except OSError as error:
            raise failure(error, self._where(path)) from error
        except PathRefused as refused:
            raise _at(refused, self._where(path)) from None

    def create(
        self,
        path: RelPath | str,
        data: bytes,
        *,
        mode: int | None = None,
        sync: bool = True,
        parents: bool = True,
    ) -> None:
        """Put a file where nothing is, whole or not at all; raises ``exists`` otherwise."""
        try:
            with self.parent(_name(path), create=parents, sync=sync) as (folder, name):
                create_once.create(folder, name, data, mode, sync=sync)
        except OSError as error:
            raise failure(error, self._where(path)) from error

    def read_link(self, path: RelPath | str) -> str:
        """Return where a symlink points, as written."""
        try:
            with self.parent(_name(path)) as (folder, name):
                return os.readlink(name, dir_fd=folder)
        except OSError as error:
            raise failure(error, self._where(path), reading=True) from error

    def touch(self, path: RelPath | str) -> None:
        """Give a file that is there another time of change; nothing is written to it."""
        try:
            with self.parent(_name(path)) as (folder, name):
                os.utime(name, dir_fd=folder, follow_symlinks=False)
        except OSError as error:
            raise failure(error, self._where(path)) from error

    def write_link(self, path: RelPath | str, target: str) -> None:
        """Put a symlink there, in the place of a plain file or of another symlink."""
        try:
            with self.parent(_name(path), create=True) as (folder, name):
                files.replace_link(folder, name, target)
        except OSError as error:
            raise failure(error, self._where(path)) from error

    def make_dirs(self, path: RelPath | str, *, sync: bool = False) -> None:
        """Make a directory and those above it, where they are missing."""
        try:
            os.close(self._make_dirs(_name(path), sync=sync))
        except OSError as error:
            raise failure(error, self._where(path)) from error

    def make_dir(self, name: str, mode: int) -> None:
        """Make a directory right here, with exactly that mode; raises ``exists`` when it is."""
        try:
            os.mkdir(_name(name), mode, dir_fd=self.fd)
            os.chmod(name, mode, dir_fd=self.fd)
        except OSError as error:
            raise failure(error, self._where(name)) from error

    def change_mode(self, path: RelPath | str, mode: int) -> None:
        """Set the permission bits of a directory or of a plain file."""
        fd = self.open_fd(path, os.O_PATH | os.O_NOFOLLOW)
        try:
            state = os.fstat(fd)
            if stat.S_ISLNK(state.st_mode):
                raise PathRefused("symlink", "a symlink stands there", where=self._where(path))
            if state.st_nlink > 1 and not stat.S_ISDIR(state.st_mode):
                raise PathRefused("hardlink", "it has a second name", where=self._where(path))
            os.chmod(f"/proc/self/fd/{fd}", mode)
        except OSError as error:
            raise failure(error, self._where(path)) from error
        finally:
            os.close(fd)

    def rename(self, source: RelPath | str, target: RelPath | str) -> None:
        """Move a file or directory; what stood at ``target`` is replaced if it can be."""
        try:
            with (
                self.parent(_name(source)) as (from_folder, from_name),
                self.parent(_name(target), create=True) as (to_folder, to_name),
            ):
                os.rename(from_name, to_name, src_dir_fd=from_folder, dst_dir_fd=to_folder)
        except OSError as error:
            raise failure(error, self._where(source)) from error

    def remove(self, path: RelPath | str) -> None:
        """Remove a file, a symlink or an empty directory."""
        try:
            with self.parent(_name(path)) as (folder, name):
                files.remove(folder, name)
        except OSError as error:
            raise failure(error, self._where(path)) from error

    def remove_tree(self, path: RelPath | str) -> None:
        """Remove whatever stands there with everything below it; symlinks are not followed."""
        try:
            with self.parent(_name(path)) as (folder, name):
                files.remove_tree(folder, name)
        except OSError as error:
            raise failure(error, self._where(path)) from error

    def sync_dir(self, path: RelPath | str = "") -> None:
        """Make the names in a directory durable."""
        fd = self.open_dir(path)
        try:
            os.fsync(fd)
        except OSError as error:
            raise failure(error, self._where(path)) from error
        finally:
            os.close(fd)

    @contextmanager
    def parent(
        self, path: str, *, create: bool = False, sync: bool = False
    ) -> Iterator[tuple[int, str]]:
        """Open the directory that holds ``path`` for the functions of `files`; raises `OSError`.

        With ``sync`` the names in it are durable afterwards.
        """
        head, _, name = path.rpartition("/")
        folder = self._open_parent(head, create=create, sync=sync) if head else self.fd
        try:
            yield folder, name
            if sync:
                os.fsync(folder)
        finally:
            if folder != self.fd:
                os.close(folder)

    def _open_parent(self, path: str, *, create: bool, sync: bool) -> int:
        try:
            return self._resolve(self.fd, path, DIRECTORY, 0)
        except FileNotFoundError:
            if not create:
                raise
        return self._make_dirs(path, sync=sync)

    def _make_dirs(self, path: str, *, sync: bool) -> int:
        """Return the descriptor of the directory at ``path``, made where it was missing."""
        current = os.dup(self.fd)
        for name in path.split("/"):
            try:
                following = self._step_into(current, name, sync=sync)
            finally:
                os.close(current)
            current = following
        return current

    def _step_into(self, folder: int, name: str, *, sync: bool) -> int:
        try:
            return self._resolve(folder, name, DIRECTORY, 0)
        except FileNotFoundError:
            # Another process may make it first; what it made is opened as carefully.
            with suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=folder)
            if sync:
                os.fsync(folder)
        return self._resolve(folder, name, DIRECTORY, 0)

    def _where(self, path: RelPath | str) -> str:
        return f"{self.path}/{path}" if path != "" else self.path


def read_file(path: str, *, limit: int = READ_LIMIT) -> bytes:
    """Return the content of a file that the user named: symlinks are followed.

    Raises `StorageFailed` when it is missing, too large, or not to be read.
    """
    try:
        descriptor = os.open(path, files.READ)
        try:
            files.refuse_device(descriptor)
            return files.read_to_end(descriptor, limit, files.PATIENCE)
        finally:
            os.close(descriptor)
    except PathRefused as refused:
        raise StorageFailed(refused.what, where=path) from None
    except ValueError as error:  # a NUL in the name
        raise StorageFailed(str(error), where=repr(path)) from None
    except OSError as error:
        raise StorageFailed(os.strerror(error.errno or 0).lower(), where=path) from error


def _name(path: RelPath | str) -> str:
    if isinstance(path, RelPath):
        return str(path)
    if _RELATIVE.fullmatch(path) is None:
        raise PathRefused("noncanonical", f"{path!r} is no name below a directory")
    return path


def _at(refused: PathRefused, where: str) -> PathRefused:
    return PathRefused(refused.code, refused.what, where=where, hint=refused.hint)
