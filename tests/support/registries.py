"""Registries of packages on loopback, as npm, Go and cargo ask them; and packages of our own.

What npm is given was fetched from its registry by `make packages`.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import tarfile
import zipfile
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any, Self

FETCHED = Path(__file__).parent.parent.parent / ".packages"
"""What `make packages` has fetched."""

MODULE = "example.org/greeting"
GREETING_GO = 'package greeting\n\nfunc Hello() string { return "hello from a module" }\n'
CRATE = "greeting"
GREETING_RS = 'pub fn hello() -> &\'static str { "hello from a crate" }\n'
CARGO_TOML = f'[package]\nname = "{CRATE}"\nversion = "1.0.0"\nedition = "2018"\n'


class Registries:
    """Serves files from memory until it is left, and remembers what was asked for."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._thread = Thread(target=self._server.serve_forever)
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._files = {
            **_of_npm(FETCHED / "npm", f"{self.url}/npm"),
            **_of_go(),
            **_of_cargo(f"{self.url}/cargo"),
        }

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        registries = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                registries.asked.append(self.path)
                found = registries._files.get(self.path.partition("?")[0])
                self.send_response(404 if found is None else 200)
                self.send_header("Content-Length", str(len(found or b"")))
                self.end_headers()
                self.wfile.write(found or b"")

            def log_message(self, *_: object) -> None:
                """Say nothing."""

        return Handler


def _of_npm(folder: Path, url: str) -> dict[str, bytes]:
    """Return what a registry says of the packages in a folder."""
    files = {}
    for path in sorted(folder.glob("*.tgz")):
        data = path.read_bytes()
        about = _package_json(data)
        digest = base64.b64encode(hashlib.sha512(data).digest()).decode()
        about["dist"] = {"tarball": f"{url}/-/{path.name}", "integrity": f"sha512-{digest}"}
        version = about["version"]
        told = {
            "name": about["name"], "dist-tags": {"latest": version}, "versions": {version: about},
        }  # fmt: skip
        files[f"/npm/{about['name']}"] = json.dumps(told).encode()
        files[f"/npm/-/{path.name}"] = data
    return files


def _package_json(data: bytes) -> dict[str, Any]:
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        file = archive.extractfile("package/package.json")
        assert file is not None
        about: dict[str, Any] = json.load(file)
        return about


def _of_go() -> dict[str, bytes]:
    module = f"module {MODULE}\n\ngo 1.17\n"
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as made:
        for name, text in {"go.mod": module, "greeting.go": GREETING_GO}.items():
            made.writestr(f"{MODULE}@v1.0.0/{name}", text)
    at = f"/go/{MODULE}/@v"
    return {
        f"{at}/list": b"v1.0.0\n",
        f"{at}/v1.0.0.info": b'{"Version": "v1.0.0", "Time": "2020-01-01T00:00:00Z"}',
        f"{at}/v1.0.0.mod": module.encode(),
        f"{at}/v1.0.0.zip": archive.getvalue(),
    }


def _of_cargo(url: str) -> dict[str, bytes]:
    crate = _tarball(
        {f"{CRATE}-1.0.0/Cargo.toml": CARGO_TOML, f"{CRATE}-1.0.0/src/lib.rs": GREETING_RS}
    )
    entry = {
        "name": CRATE, "vers": "1.0.0", "deps": [], "cksum": hashlib.sha256(crate).hexdigest(),
        "features": {}, "yanked": False,
    }  # fmt: skip
    return {
        "/cargo/config.json": json.dumps({"dl": f"{url}/crates"}).encode(),
        f"/cargo/{CRATE[:2]}/{CRATE[2:4]}/{CRATE}": json.dumps(entry).encode() + b"\n",
        f"/cargo/crates/{CRATE}/1.0.0/download": crate,
    }


def _tarball(files: Mapping[str, str]) -> bytes:
    data = io.BytesIO()
    with tarfile.open(fileobj=data, mode="w:gz") as archive:
        for name, text in files.items():
            about = tarfile.TarInfo(name)
            about.size = len(text.encode())
            archive.addfile(about, io.BytesIO(text.encode()))
    return data.getvalue()
