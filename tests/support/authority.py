"""A time-stamping authority on loopback: OpenSSL's, with a root of its own."""

from __future__ import annotations

import datetime as dt
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Self

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

_CONFIG = """\
[tsa]
default_tsa = here
[here]
serial = {folder}/serial
signer_cert = {folder}/tsa.pem
signer_key = {folder}/tsa.key
signer_digest = sha256
default_policy = 1.2.3.4.1
digests = sha256
ess_cert_id_alg = sha256
"""
_YEAR = dt.timedelta(days=365)


class Authority:
    """Answers each question over http; a context manager that ends it."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self.folder = folder
        self.roots = folder / "root.pem"
        self.content_type = "application/timestamp-reply"
        self.status = 200
        self.stamps_this: bytes | None = None
        """What it answers about instead of what it is asked."""
        _certify(folder)
        (folder / "serial").write_text("01\n")
        (folder / "tsa.cnf").write_text(_CONFIG.format(folder=folder))
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self.url = f"http://127.0.0.1:{self._server.server_port}/stamp"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def stamp(self, question: bytes) -> bytes:
        """Return the answer to a question in DER."""
        asked, answer = self.folder / "asked.tsq", self.folder / "answer.tsr"
        asked.write_bytes(self.stamps_this or question)
        words = ("ts", "-reply", "-config", "tsa.cnf", "-queryfile", asked, "-out", answer)
        subprocess.run(
            ["openssl", *words], cwd=self.folder, check=True, capture_output=True, timeout=60
        )
        return answer.read_bytes()


def _handler(authority: Authority) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            question = self.rfile.read(int(self.headers["Content-Length"]))
            answer = authority.stamp(question)
            self.send_response(authority.status)
            self.send_header("Content-Type", authority.content_type)
            self.send_header("Content-Length", str(len(answer)))
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    return Handler


def _certify(folder: Path) -> None:
    root_key, key = (rsa.generate_private_key(65537, 2048) for _ in range(2))
    root_name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a root of tests")])
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "an authority of tests")])
    root = (
        _certificate(root_name, root_name, root_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
        .sign(root_key, hashes.SHA256())
    )
    stamping = x509.ExtendedKeyUsage([ExtendedKeyUsageOID.TIME_STAMPING])
    leaf = (
        _certificate(name, root_name, key.public_key())
        .add_extension(stamping, critical=True)
        .sign(root_key, hashes.SHA256())
    )
    pem = serialization.Encoding.PEM
    (folder / "root.pem").write_bytes(root.public_bytes(pem))
    (folder / "tsa.pem").write_bytes(leaf.public_bytes(pem))
    (folder / "tsa.key").write_bytes(
        key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )


def _certificate(
    name: x509.Name, issuer: x509.Name, key: rsa.RSAPublicKey
) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(name)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _YEAR)
        .not_valid_after(now + _YEAR)
    )
