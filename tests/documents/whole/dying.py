"""Processes that die at a step on the file system of our choice, as by SIGKILL: nothing is cleaned up."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path

DEAD = 77
_STEPS = {"os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.chmod", "open"}


def watch(folder: Path, step: int, die: Callable[[], None]) -> None:
    """Call `die` just before the so manieth step that changes something in a folder is taken."""
    left, here = [step], os.fsencode(folder)

    def hook(event: str, arguments: tuple) -> None:
        if event not in _STEPS:
            return
        path = arguments[0]
        if event == "open" and (not isinstance(arguments[2], int) or not arguments[2] & os.O_CREAT):
            return
        # Below a folder that is being removed, names are relative to it.
        inside = isinstance(path, (str, bytes, os.PathLike)) and (
            os.fsencode(path).startswith(here) or (event != "open" and -1 not in arguments[1:])
        )
        if inside:
            left[0] -= 1
            if left[0] == 0:
                die()

    sys.addaudithook(hook)


def dies(folder: Path, step: int, work: Callable[[], object]) -> bool:
    """Do the work in a process that dies before a step; return whether it got so far."""
    child = os.fork()
    if child == 0:
        try:
            os.umask(0)
            watch(folder, step, lambda: os._exit(DEAD))
            work()
            os._exit(0)
        except BaseException as problem:
            os.write(2, f"{type(problem).__name__}: {problem}\n".encode())
        finally:
            os._exit(1)
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    assert status in {0, DEAD}, status
    return status == DEAD


def deaths(folder: Path, work: Callable[[], object], before: Callable[[], object]):
    """Yield the number of every step before which the work has just died; `before` is done each time."""
    step = 1
    while True:
        before()
        if not dies(folder, step, work):
            return
        yield step
        step += 1
