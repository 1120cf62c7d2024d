"""One curator's work on one table, from the upload to the release, without the pages."""

from __future__ import annotations

import json
import secrets
import shutil
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from shoal.data.opening import open_engine
from shoal.describe.specification import Specification
from shoal.describe.study_file import read_study_file
from shoal.documents.whole.rights import write_private
from shoal.errors import InputError
from shoal.web.server.intake import read_apart
from shoal.web.server.server_limits import Limits
from shoal.web.workspace.beginning import as_given, proposed_state
from shoal.web.workspace.bench import ORIGIN, SPILL, Bench
from shoal.web.workspace.decisions import Decisions
from shoal.web.workspace.looks import Look, look_at, read_look
from shoal.web.workspace.pins import Pins
from shoal.web.workspace.project import ENDING, pack_project, pack_study
from shoal.web.workspace.questions import Questions
from shoal.web.workspace.release_attacks import Attacks
from shoal.web.workspace.releasing import Releases
from shoal.web.workspace.row_pairs import RowPages
from shoal.web.workspace.state import History
from shoal.web.workspace.uses import Uses
from shoal.web.workspace.wishes import Wishes

BUILT_IN = "Synthetic hospital discharges"
MOST_BUILT_IN = 1_000_000
_HISTORY = "history.json"
_LOOK = "look.json"


class Workspace:
    """A table, the decisions about it, and their results, all in one private folder.

    Its parts share the bench and can be used in any order. `key` is the folder's name.
    """

    def __init__(self, folder: Path, look: Look, history: History, limits: Limits) -> None:
        self.key = folder.name
        self.bench = Bench(folder, look, history, limits)
        self.decisions = Decisions(self.bench)
        self.questions = Questions(self.bench)
        self.pins = Pins(self.bench)
        self.rows = RowPages(self.bench)
        self.releases = Releases(self.bench)
        self.attacks = Attacks(self.bench, self.releases)
        self.uses = Uses(self.bench, self.releases)
        self.wishes = Wishes(folder / "wishes.json")
        self.answers: list[Any] = []
        """What named methods answered, for as long as the server runs."""

    @classmethod
    def of_upload(cls, upload: Path, title: str, root: Path, limits: Limits) -> Workspace:
        """Return a workspace of an uploaded file, which is read in a separate process and then removed."""
        with _new_folder(root) as folder:
            read_apart("take", upload, folder, limits)
            shutil.rmtree(folder / SPILL, ignore_errors=True)
            return cls._begin(folder, read_look(folder / _LOOK), title, limits)

    @classmethod
    def of_built_in(cls, root: Path, limits: Limits, rows: int = 10_000, seed: int = 7) -> Workspace:
        """Return a workspace of made-up hospital discharges with their study."""
        from shoal.demo import write_hospital

        if not 1 <= rows <= MOST_BUILT_IN:
            raise InputError(f"{rows:,} made-up rows; ask for 1 to {MOST_BUILT_IN:,}")
        try:
            with _new_folder(root) as folder:
                made = folder / "made"
                study = write_hospital(made, rows, seed)
                (made / "hospital.csv").rename(folder / "table.csv")
                given = replace(read_study_file(study), table=folder / "table.csv")
                work = cls._begin(folder, _look(folder, given), BUILT_IN, limits, given)
                shutil.rmtree(made)
                return work
        except ValueError as problem:
            raise InputError(str(problem)) from None

    @classmethod
    def of_study(cls, study: Path, root: Path, limits: Limits) -> Workspace:
        """Return a workspace of a study file on this machine; its table stays where it is."""
        given = read_study_file(study.absolute())
        return cls.of_specification(given, study.absolute(), study.name, root, limits)

    @classmethod
    def of_specification(
        cls, given: Specification, origin: Path, title: str, root: Path, limits: Limits
    ) -> Workspace:
        """Return a workspace of a study; the study file `origin` says where its table is."""
        with _new_folder(root) as folder:
            write_private(folder / ORIGIN, str(origin))
            return cls._begin(folder, _look(folder, given), title, limits, given)

    @classmethod
    def reopen(cls, folder: Path, limits: Limits) -> Workspace:
        """Return the workspace in a folder, as it was left."""
        history = History.reopen(folder / _HISTORY, limits)
        return cls(folder, read_look(folder / _LOOK), history, limits)

    @classmethod
    def _begin(
        cls, folder: Path, look: Look, title: str, limits: Limits, given: Specification | None = None
    ) -> Workspace:
        state = proposed_state(look, title, folder)
        if given is not None:
            state = as_given(state, given, folder)
        return cls(folder, look, History.begin(folder / _HISTORY, state, limits), limits)

    def close(self) -> None:
        """Close the table."""
        self.bench.close()

    def save(self, name: str) -> Path:
        """Write a file for download, project.shoal or study.zip, and return its path."""
        self.bench.check_room()
        place = self.bench.folder / name
        (pack_project if name.endswith(ENDING) else pack_study)(self, place)
        return place

    def summary(self) -> dict[str, Any]:
        """Return the workspace as the API shows it."""
        state, look = self.bench.state, self.bench.look
        return {
            "id": self.key,
            "title": state.title,
            "rows": look.rows,
            "columns": [
                {
                    "name": name,
                    "roles": list(column.roles),
                    "proposed": column.proposed,
                    "reason": column.reason,
                    "hierarchy": column.hierarchy is not None,
                    "min_level": column.min_level,
                    "max_level": column.max_level,
                    "weight": column.weight,
                    **look.kind(name),
                }
                for name, column in state.columns.items()
            ],
            "persons": list(state.persons),
            "units": dict(state.units),
            "notices": list(look.notices),
            "pins": len(state.pins),
            "can_undo": self.bench.history.can_undo,
            "can_redo": self.bench.history.can_redo,
            "released": self.releases.made,
        }


@contextmanager
def _new_folder(root: Path) -> Iterator[Path]:
    """Make a private folder, and remove it if the work in it fails."""
    folder = root / secrets.token_hex(8)
    folder.mkdir(mode=0o700)
    try:
        yield folder
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise


def _look(folder: Path, given: Specification) -> Look:
    """Look at a study's own table, keep the look, and return it."""
    with closing(open_engine(given.table, given.reading, temp_directory=folder / SPILL)) as engine:
        look = look_at(engine, given=True)
    write_private(folder / _LOOK, json.dumps(asdict(look), ensure_ascii=False))
    return look
