"""A server on loopback that speaks TLS, with a certificate of an authority of its own."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime, timedelta
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID

from support.web import WebServer

_SIGNS_CERTIFICATES = x509.KeyUsage(
    digital_signature=False,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    key_cert_sign=True,
    crl_sign=False,
    encipher_only=False,
    decipher_only=False,
)


class TlsServer(WebServer):
    """Answers as a `WebServer` does, by https."""

    def __init__(self, folder: Path, name: str = "127.0.0.1") -> None:
        super().__init__()
        self.ca_file = str(folder / "ca.pem")
        chain = folder / "server.pem"
        _write_certificates(Path(self.ca_file), chain, name)
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._context.load_cert_chain(chain)

    def url(self, path: str = "/") -> str:
        """Return the address of a page."""
        return f"https://{self.server}{path}"

    def _answer(self, connection: socket.socket) -> None:
        with suppress(OSError), self._context.wrap_socket(connection, server_side=True) as secured:
            super()._answer(secured)


@contextmanager
def tls_server(folder: Path, name: str = "127.0.0.1") -> Iterator[TlsServer]:
    """Serve while it is entered; the certificate is for an address of the name ``name``."""
    server = TlsServer(folder, name)
    with server.listening:
        yield server


def _write_certificates(authority: Path, server: Path, name: str) -> None:
    ca_key, key = ec.generate_private_key(ec.SECP256R1()), ec.generate_private_key(ec.SECP256R1())
    issuer = x509.Name(
        [x509.NameAttribute(NameOID.COMMON_NAME, f"authority {os.urandom(8).hex()}")]
    )
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "a server of the tests")])
    ca = (
        _certificate(issuer, issuer, ca_key.public_key())
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(_SIGNS_CERTIFICATES, critical=True)  # Python 3.13 and newer ask for it
        .add_extension(
            x509.SubjectKeyIdentifier.from_public_key(ca_key.public_key()), critical=False
        )
        .sign(ca_key, hashes.SHA256())
    )
    address = x509.IPAddress(ipaddress.ip_address(name))
    leaf = (
        _certificate(subject, issuer, key.public_key())
        .add_extension(x509.SubjectAlternativeName([address]), critical=False)
        .add_extension(
            x509.AuthorityKeyIdentifier.from_issuer_public_key(ca_key.public_key()), critical=False
        )
        .sign(ca_key, hashes.SHA256())
    )
    authority.write_bytes(ca.public_bytes(Encoding.PEM))
    private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    server.write_bytes(private + leaf.public_bytes(Encoding.PEM))


def _certificate(
    subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey
) -> x509.CertificateBuilder:
    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
    )
