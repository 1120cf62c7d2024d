"""Signs certificates, and checks who signed: Ed25519, in a separate file beside the certificate.

A prefix and the certificate's bytes are signed. The prefix keeps whatever else is signed with the same key
from passing for a signed certificate. The certificate has the digests of the released files, so these are
signed with it.
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
"""What a signature's name adds to its certificate's."""
MOST_BYTES = 100_000
"""The largest key or signature that is read; real ones are far smaller."""


def signature_path(certificate: Path) -> Path:
    """Return the path of a certificate's signature."""
    return certificate.with_name(certificate.name + SUFFIX)


@dataclass(frozen=True)
class Signed:
    """What is known about a signature: whose key (only a claim until it is checked), and whether it fits.

    `fits` is None if it was not checked.
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
        from cryptography.hazmat.primitives import serialization as forms
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

        text = read_bytes(path, MOST_BYTES)
        ssh = b"OPENSSH PRIVATE KEY" in text
        try:
            key = (forms.load_ssh_private_key if ssh else forms.load_pem_private_key)(text, None)
        except TypeError:
            raise InputError(
                "the key has a password, which cannot be asked for here; sign with a key without one",
                file=path,
            ) from None
        except (ValueError, UnsupportedAlgorithm):
            raise InputError(
                "this is not a readable private key; make one with openssl genpkey -algorithm ed25519",
                file=path,
            ) from None
        if not isinstance(key, Ed25519PrivateKey):
            raise InputError(
                "this is not an Ed25519 key; make one with openssl genpkey -algorithm ed25519",
                file=path,
            )
        return cls(path, key)

    @property
    def exposed(self) -> bool:
        """Whether anyone but its owner may read the file."""
        return os.name == "posix" and bool(self.file.stat().st_mode & 0o077)

    def sign(self, certificate: bytes) -> dict[str, str]:
        """Return the signature of a certificate's bytes, as a document."""
        return {
            "kind": SIGNATURE,
            "algorithm": "Ed25519",
            "key": _fingerprint(self.key.public_key()),
            "signature": base64.b64encode(self.key.sign(PREFIX + certificate)).decode("ascii"),
        }


@dataclass(frozen=True)
class PublicKey:
    """The key with which anyone can check who signed."""

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
            raise InputError("this is a private key; give its public key", file=path)
        try:
            key = (load_ssh_public_key if text.startswith(b"ssh-") else load_pem_public_key)(text)
        except (ValueError, UnsupportedAlgorithm):
            raise InputError("this is not a readable public key", file=path) from None
        if not isinstance(key, Ed25519PublicKey):
            raise InputError("this is not an Ed25519 key, the kind that signs certificates", file=path)
        return cls(key)

    def check(self, certificate: bytes, path: Path) -> tuple[Signed, list[str]]:
        """Return whether the file at a path is this key's signature of a certificate, and what is wrong."""
        from cryptography.exceptions import InvalidSignature

        name, mine, wrong = show(path.name), _fingerprint(self.key), []
        if not path.exists():
            wrong = [f"signature: there is none; {name} does not exist"]
        else:
            try:
                given = document_of(read_bytes(path, MOST_BYTES), path, SIGNATURE)
                signature = base64.b64decode(given["signature"], validate=True)
                self.key.verify(signature, PREFIX + certificate)
            except InputError as problem:
                wrong = [f"signature: {name} cannot be read ({problem.what})"]
            except (InvalidSignature, ValueError, binascii.Error):
                wrong = [f"signature: {name} is not the signature of this certificate by the key {mine}"]
        return Signed(mine, not wrong), wrong


def claimed(path: Path) -> Signed | None:
    """Return what the signature at a path claims, unchecked; None if there is none."""
    if not path.exists():
        return None
    try:
        return Signed(document_of(read_bytes(path, MOST_BYTES), path, SIGNATURE)["key"])
    except InputError:
        return Signed(None)


def _fingerprint(key: Ed25519PublicKey) -> str:
    """Return what `openssl pkey -pubin -outform DER | sha256sum` prints for a key."""
    from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

    der = key.public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return "SHA256:" + hashlib.sha256(der).hexdigest()


def _needed() -> None:
    try:
        import cryptography  # noqa: F401
    except ImportError:
        raise MissingExtraError("signatures", "cryptography", "sign") from None
