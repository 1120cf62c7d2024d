"""Errors that users meet are in one place, each with its exit status and the status of the API."""

from __future__ import annotations

import ast
from pathlib import Path

import shoal
from shoal import errors

PRIVATE = {"_OverError", "_RefusedError", "_TimeOverError", "FrameError", "RefusedError", "StoppedError"}
"""What ends a piece of work inside, and is turned into an answer before anybody sees it."""
SOURCE = Path(shoal.__file__).parent


def exceptions_of(text: str) -> set[str]:
    """The classes of a module that could be raised: by their own name, or by that of a base class."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.ClassDef):
            bases = [ast.unparse(base).rsplit(".", 1)[-1] for base in node.bases]
            raised = any(base.endswith(("Error", "Exception", "BaseException")) for base in bases)
            if raised or node.name.endswith("Error"):
                found.add(node.name)
    return found


def test_no_other_module_defines_an_error_that_users_meet():
    found = {
        name: path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if path != SOURCE / "errors.py"
        for name in exceptions_of(path.read_text(encoding="utf-8"))
    }
    assert {name: place for name, place in found.items() if name not in PRIVATE} == {}
    assert set(found) == PRIVATE, "a private error went: take it from the list"


def test_what_is_looked_for_is_found():
    assert exceptions_of("class A(shoal.errors.InputError): pass\nclass B(int): pass") == {"A"}
    assert exceptions_of("def f():\n    class Odd(Exception): pass\nclass XError(Base): pass") == {
        "Odd",
        "XError",
    }


def test_every_error_has_the_statuses_of_the_contract():
    kinds = {
        name: (kind.exit_status, kind.http_status)
        for name, kind in vars(errors).items()
        if isinstance(kind, type) and issubclass(kind, errors.ShoalError)
    }
    assert kinds == {
        "ShoalError": (2, 422),
        "InputError": (2, 422),
        "BrokenByAttackError": (2, 422),
        "NoTableError": (2, 422),
        "TakenError": (2, 422),
        "TooLittleError": (2, 422),
        "TallyTooLargeError": (2, 422),
        "CoarseTallyError": (2, 422),
        "NoSolutionError": (3, 409),
        "VerificationError": (1, 422),
        "TimeOverError": (2, 422),
        "MissingExtraError": (2, 422),
        "NotYetError": (2, 409),
        "ChangedError": (2, 409),
        "NotThereError": (2, 404),
        "EndedError": (2, 404),
        "TooLargeError": (2, 413),
        "TooManyError": (2, 429),
        "UnansweredError": (2, 503),
        "FullError": (2, 507),
    }
