"""Signs certificates, and checks who signed: Ed25519, in a file of its own beside the certificate.

What is signed is a prefix and the certificate's bytes. The prefix makes the signature one of a certificate,
whatever else is signed with the same key. The certificate has the digests of the released files, so that
these are signed with it.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from shoal.documents.json_files import document_of, read_bytes
from shoal.errors import InputError, MissingExtraError, show

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

PREFIX = b"Shoal certificate, signature version 1\0"
SIGNATURE = "signature"
SUFFIX = ".sig"
"""What the name of a signature adds to that of its certificate."""
MOST_BYTES = 100_000
"""Of a key or a signature; both are far smaller."""


def signature_path(certificate: Path) -> Path:
    """Return where the signature of a certificate lies."""
    return certificate.with_name(certificate.name + SUFFIX)


@dataclass(frozen=True)
class Signed:
    """What is known of a signature: whose key (by its own claim until it is checked), and whether it fits.

    `fits` is None where it was not checked.
    """

    key: str | None
    fits: bool | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return it as `shoal verify --json` prints it."""
        return {"key": self.key, "checked": self.fits is not None, "fits": self.fits}


@dataclass(frozen=True)
class SigningKey:
    """A private key, and its file."""

    file: Path
    key: Ed25519PrivateKey

    @classmethod
    def read(cls, path: str | Path) -> SigningKey:
        """Return the private key in a file: PEM as `openssl genpkey` writes it, or OpenSSH's."""
        path = Path(path)
        _needed()
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
        from cryptography.hazmat.primitives.serialization import (
            load_pem_private_key,
            load_ssh_private_key,
        )

        text = read_bytes(path, MOST_BYTES)
        load = load_ssh_private_key if b"OPENSSH PRIVATE KEY" in text else load_pem_private_key
        try:
            key = load(text, None)
        except TypeError:
            raise InputError(
                "the key is locked by a password, which cannot be asked for here; sign with one that is not",
                file=path,
            ) from None
        except (ValueError, UnsupportedAlgorithm):
            raise InputError(
                "this is not a readable private key; make one with openssl genpkey -algorithm ed25519",
                file=path,
            ) from None
        if not isinstance(key, Ed25519PrivateKey):
            raise InputError(
                "the key is not of the kind Ed25519; make one with openssl genpkey -algorithm ed25519",
                file=path,
            )
        return cls(path, key)

    @property
    def exposed(self) -> bool:
        """Whether others than its owner may read the file."""
        return os.name == "posix" and bool(self.file.stat().st_mode & 0o077)

    @property
    def fingerprint(self) -> str:
        """By what others know the key."""
        return _fingerprint(self.key.public_key())

    def sign(self, certificate: bytes) -> dict[str, str]:
        """Return the signature of a certificate's bytes, as its file holds it."""
        return {
            "kind": SIGNATURE,
            "algorithm": "Ed25519",
            "key": self.fingerprint,
            "signature": base64.b64encode(self.key.sign(PREFIX + certificate)).decode("ascii"),
        }


@dataclass(frozen=True)
class PublicKey:
    """The key by which everybody can check who signed."""

    key: Ed25519PublicKey

    @classmethod
    def read(cls, path: str | Path) -> PublicKey:
        """Return the public key in a file: PEM as `openssl pkey -pubout` writes it, or OpenSSH's."""
        path = Path(path)
        _needed()
        from cryptography.exceptions import UnsupportedAlgorithm
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
        from cryptography.hazmat.primitives.serialization import load_pem_public_key, load_ssh_public_key

        text = read_bytes(path, MOST_BYTES)
        if b"PRIVATE KEY" in text:
            raise InputError("this is a private key; check with its public one", file=path)
        try:
            key = (load_ssh_public_key if text.startswith(b"ssh-") else load_pem_public_key)(text)
        except (ValueError, UnsupportedAlgorithm):
            raise InputError("this is not a readable public key", file=path) from None
        if not isinstance(key, Ed25519PublicKey):
            raise InputError("the key is not of the kind Ed25519, which signs certificates", file=path)
        return cls(key)

    @property
    def fingerprint(self) -> str:
        """By what others know the key."""
        return _fingerprint(self.key)

    def check(self, certificate: bytes, path: Path) -> tuple[Signed, list[str]]:
        """Return whether the file at a path is this key's signature of a certificate, and what is wrong."""
        from cryptography.exceptions import InvalidSignature

        said = f"signature: {show(path.name)}"
        if not path.exists():
            return Signed(self.fingerprint, False), [
                f"signature: there is none; {path.name} is not there"
            ]
        try:
            given = document_of(read_bytes(path, MOST_BYTES), path, SIGNATURE)
            self.key.verify(base64.b64decode(given["signature"], validate=True), PREFIX + certificate)
        except InputError as problem:
            return Signed(self.fingerprint, False), [f"{said} cannot be read ({problem.what})"]
        except (InvalidSignature, ValueError, binascii.Error):
            return Signed(self.fingerprint, False), [
                f"{said} is not that of this certificate by the key {self.fingerprint}"
            ]
        return Signed(self.fingerprint, True), []


def claimed(path: Path) -> Signed | None:
    """Return what the signature at a path says of itself, unchecked; None where there is none."""
    if not path.exists():
        return None
    try:
        return Signed(document_of(read_bytes(path, MOST_BYTES), path, SIGNATURE)["key"])
    except InputError:
        return Signed(None)


def _fingerprint(key: Ed25519PublicKey) -> str:
    """Return what `openssl pkey -pubin -outform DER | sha256sum` prints of a key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "SHA256:" + hashlib.sha256(der).hexdigest()


def _needed() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise MissingExtraError("signatures", "cryptography", "sign") from None
