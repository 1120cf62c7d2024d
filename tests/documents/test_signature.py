"""Who vouches for a release: signatures by keys that openssl and ssh-keygen make, checked by anybody."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import sys

import pytest

from shoal import Study
from shoal.answers.recoding import Decision, NodeRecoding
from shoal.describe.promise import Promise
from shoal.documents.signature import PREFIX
from shoal.errors import MissingExtraError
from shoal.verification.release_check import verify_release
from tests.commands import shoal
from tests.documents.conftest import write_release

pytest.importorskip("cryptography")


def made_by(folder, name):
    """A key pair as the commands of the documentation make it."""
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    key = Ed25519PrivateKey.generate()
    private, public = folder / f"{name}.pem", folder / f"{name}.pub.pem"
    private.write_bytes(key.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption()))
    private.chmod(0o600)
    public.write_bytes(
        key.public_key().public_bytes(s.Encoding.PEM, s.PublicFormat.SubjectPublicKeyInfo)
    )
    return private, public


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("keys")
    return made_by(folder, "ours"), made_by(folder, "theirs")


@pytest.fixture(scope="module")
def study(tmp_path_factory):
    folder = tmp_path_factory.mktemp("signed")
    write_release(folder)
    return folder / "study.yaml"


def release(study, name, **options):
    with Study.open(study) as opened:
        decision = Decision(NodeRecoding({"town": 1}), Promise(8))
        return opened.release(decision, seed=1).write(study.parent / name, force=True, **options)


def test_a_signature_is_good_for_its_key_and_its_certificate_alone(study, keys):
    (private, public), (_, other) = keys
    published = release(study, "good.csv", sign=private)
    assert "exposed-key" not in [warning.code for warning in published.warnings]
    out = published.path
    done = shoal("verify", out, "--key", public)
    assert done.returncode == 0
    assert "Signed with the key SHA256:" in done.stdout
    told = json.loads(shoal("verify", out, "--key", public, "--json").stdout)["signature"]
    assert (told["checked"], told["fits"]) == (True, True)
    wrong = shoal("verify", out, "--key", other)
    assert wrong.returncode == 1
    assert "BROKEN signature" in wrong.stdout
    assert "Not signed with the key" in wrong.stdout
    # One byte more, which changes nothing that is promised, and the certificate is another one.
    paper = out.with_name("good.csv.certificate.json")
    paper.write_bytes(paper.read_bytes() + b"\n")
    assert verify_release(out).holds
    assert not verify_release(out, public).holds


def test_without_a_key_a_signature_is_told_of_and_not_checked(study, keys):
    out = release(study, "unchecked.csv", sign=keys[0][0]).path
    done = shoal("verify", out)
    assert done.returncode == 0
    assert "as it claims; not checked" in done.stdout
    assert json.loads(shoal("verify", out, "--json").stdout)["signature"]["checked"] is False


def test_a_release_without_a_signature_fails_where_one_is_asked_for(study, keys):
    release(study, "unsigned.csv", sign=keys[0][0])
    out = release(study, "unsigned.csv").path  # replaces the signed one
    assert not out.with_name("unsigned.csv.certificate.json.sig").exists()
    done = shoal("verify", out, "--key", keys[0][1])
    assert done.returncode == 1
    assert "signature: there is none" in done.stdout


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[" * 10**5,
        '{"kind": "signature"}',
        '{"kind": "signature", "signature": 7}',
        '{"kind": "signature", "signature": "!"}',
        '{"kind": "signature", "signature": "", "key": "\\u001b[31m"}',
    ],
)
def test_a_hostile_signature_is_a_bad_one(study, keys, text):
    out = release(study, "hostile.csv", sign=keys[0][0]).path
    out.with_name("hostile.csv.certificate.json.sig").write_text(text)
    done = shoal("verify", out, "--key", keys[0][1])
    assert done.returncode == 1
    assert "BROKEN signature" in done.stdout
    unchecked = shoal("verify", out)
    assert unchecked.returncode == 0
    assert "\x1b" not in unchecked.stdout


def test_openssl_checks_the_same_signature(study, keys, tmp_path):
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed")
    out = release(study, "openssl.csv", sign=keys[0][0]).path
    paper = out.with_name("openssl.csv.certificate.json")
    given = json.loads(paper.with_name(paper.name + ".sig").read_text())
    (tmp_path / "message").write_bytes(PREFIX + paper.read_bytes())
    (tmp_path / "signature").write_bytes(base64.b64decode(given["signature"]))
    done = subprocess.run(
        [
            "openssl",
            "pkeyutl",
            "-verify",
            "-pubin",
            "-inkey",
            keys[0][1],
            "-rawin",
            "-in",
            tmp_path / "message",
            "-sigfile",
            tmp_path / "signature",
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "Signature Verified Successfully" in done.stdout
    der = subprocess.run(
        ["openssl", "pkey", "-pubin", "-in", keys[0][1], "-outform", "DER"],
        capture_output=True,
        check=True,
    )
    digest = subprocess.run(["sha256sum"], input=der.stdout, capture_output=True, check=True)
    assert given["key"] == "SHA256:" + digest.stdout.decode().split()[0]


def test_keys_of_openssh_sign_too(study, tmp_path):
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "id"], check=True)
    out = release(study, "ssh.csv", sign=tmp_path / "id").path
    assert verify_release(out, tmp_path / "id.pub").holds


def test_a_key_that_others_can_read_is_warned_of(study, keys, tmp_path):
    exposed = tmp_path / "key.pem"
    shutil.copy(keys[0][0], exposed)
    exposed.chmod(0o644)
    published = release(study, "exposed.csv", sign=exposed)
    assert "exposed-key" in [warning.code for warning in published.warnings]


def test_what_is_no_such_key_is_refused_before_anything_is_written(study, keys, tmp_path):
    from cryptography.hazmat.primitives import serialization as s
    from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
    from cryptography.hazmat.primitives.serialization import load_pem_private_key

    other = generate_private_key(SECP256R1())
    (tmp_path / "ec.pem").write_bytes(
        other.private_bytes(s.Encoding.PEM, s.PrivateFormat.PKCS8, s.NoEncryption())
    )
    locked = load_pem_private_key(keys[0][0].read_bytes(), None).private_bytes(
        s.Encoding.PEM, s.PrivateFormat.PKCS8, s.BestAvailableEncryption(b"secret")
    )
    (tmp_path / "locked.pem").write_bytes(locked)
    (tmp_path / "text.pem").write_text("a key")
    record = study.parent / "out.csv.record.json"
    for name, said in (
        ("ec.pem", "Ed25519"),
        ("locked.pem", "password"),
        ("text.pem", "not a readable private key"),
        ("no.pem", "no such file"),
    ):
        done = shoal("release", "--from", record, "-o", tmp_path / "new.csv", "--sign", tmp_path / name)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert said in done.stderr
        assert not list(tmp_path.glob("new.csv*"))
    out = release(study, "keys.csv", sign=keys[0][0]).path
    for key, said in ((keys[0][0], "private key"), (tmp_path / "text.pem", "not a readable public key")):
        done = shoal("verify", out, "--key", key)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert said in done.stderr


def test_the_command_signs_and_names_the_file(study, keys, tmp_path):
    record = study.parent / "out.csv.record.json"
    done = shoal("release", "--from", record, "-o", tmp_path / "new.csv", "--sign", keys[0][0])
    assert done.returncode == 0, done.stderr
    assert "new.csv.certificate.json.sig" in done.stdout
    assert shoal("verify", tmp_path / "new.csv", "--key", keys[0][1]).returncode == 0


def test_without_the_extra_the_sentence_says_what_to_install(study, keys, monkeypatch):
    monkeypatch.setitem(sys.modules, "cryptography", None)
    with pytest.raises(MissingExtraError, match=r"shoal\[sign\]"):
        release(study, "extra.csv", sign=keys[0][0])
