"""Outputs that are whole or not there: made beside their place, moved in when all is done."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from shoal.bucket_check import second_suffix
from shoal.engines import sources
from shoal.engines.place_file import names_a_table
from shoal.errors import InputError

SUFFIXES = (
    ".certificate.json",
    ".certificate.json.sig",
    ".record.json",
    ".report.html",
    ".public.html",
    ".mappings",
)


class Staging:
    """A folder beside the output in which everything is made before it is moved in.

    What is moved in last is the data: where it lies, its papers lie too. Where the rows go to a `table`, it
    is the file that says where.
    """

    def __init__(self, out: Path, force: bool, *, table: bool = False) -> None:
        self.out = out
        if not table:
            sources.ending_of(out)
        elif not names_a_table(out):
            raise InputError(
                "with --into, this file says where the table lies; give it the ending .yaml", file=out
            )
        if not out.parent.is_dir():
            raise InputError("its folder is not there; make it first", file=out)
        self._force = force
        self._made: list[str] = []
        self._possible = SUFFIXES if table else (second_suffix(out), *SUFFIXES)
        if not force:
            for suffix in ("", *self._possible):
                if self.place(suffix).exists():
                    raise InputError(
                        "is there already; choose another name, or use --force", file=self.place(suffix)
                    )

    def place(self, suffix: str) -> Path:
        """Return where a file of the release ends up."""
        return self.out.with_name(self.out.name + suffix)

    def __enter__(self) -> Staging:
        try:
            made = tempfile.mkdtemp(prefix=f".{self.out.name}.", dir=self.out.parent)
        except OSError as problem:
            raise InputError(f"cannot be written: {problem.strerror}", file=self.out) from None
        self._folder = Path(made)
        return self

    def __exit__(self, kind: type | None, problem: BaseException | None, trace: object) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)
        # The place that could not be written is the output's, whatever file beside it was being made.
        if isinstance(problem, OSError):
            raise InputError(f"cannot be written: {problem.strerror}", file=self.out) from None
        if isinstance(problem, InputError) and str(problem.file).startswith(str(self._folder)):
            raise InputError(problem.what, file=self.out) from None

    def path(self, suffix: str = "") -> Path:
        """Return where to make a file of the release."""
        self._made.append(suffix)
        return self._folder / (self.out.name + suffix)

    def move_in(self) -> None:
        """Move all files to their places, the data last; what an earlier release left there goes."""
        try:
            for suffix in self._possible:
                if suffix not in self._made:
                    _remove(self.place(suffix))
            for suffix in sorted(self._made, reverse=True):
                made, place = self._folder / (self.out.name + suffix), self.place(suffix)
                if place.is_dir():
                    shutil.rmtree(place)
                made.replace(place)
        except OSError as problem:
            raise InputError(f"cannot be written: {problem.strerror}", file=self.out) from None


def _remove(place: Path) -> None:
    if place.is_dir():
        shutil.rmtree(place)
    else:
        place.unlink(missing_ok=True)
