"""The release: written, verified, its warnings acknowledged, then downloaded as one file."""

from __future__ import annotations

import json
import secrets
import shutil
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from shoal.data.files.sources import ending_of
from shoal.documents import record_in, text_of
from shoal.documents.whole.moving import remove
from shoal.documents.whole.rights import create, make_private, write_private
from shoal.errors import InputError, NotYetError, did_you_mean, show
from shoal.questions.releases import STABLE
from shoal.release.pseudonyms import new_secret
from shoal.release.study_release import StudyRelease
from shoal.web.server.verifying import verdict_of
from shoal.web.workspace.bench import Bench
from shoal.web.workspace.exported import script, write_study
from shoal.web.workspace.questions import Document
from shoal.web.workspace.shared_study import SharedStudy
from shoal.web.workspace.state import State, keep_text

ENDINGS = {
    "csv": "CSV",
    "tsv": "TSV",
    "parquet": "Parquet",
    "arrow": "Arrow",
    "sav": "SPSS",
    "dta": "Stata",
    "xpt": "SAS (transport)",
    "xlsx": "Excel",
}
"""The endings that a released table may have, and their names."""
_MADE = "release"
_TOLD = "release.json"
_ATTACKED = "attacks.json"
ALL, PUBLIC, PRIVATE = "all", "public", "private"
PARTS = {ALL: "release.zip", PUBLIC: "release-public.zip", PRIVATE: "release-private.zip"}
"""The downloads of a release, and their files."""
_ANYONE = (
    "",
    ".certificate.json",
    ".certificate.json.sig",
    ".public.html",
    ".codebook.md",
    ".codebook.json",
)
"""What a public file's name adds to that of the table."""
_SECRET = "pseudonyms.secret"

_READ_ME = """\
For the public:  {out}, {out}.certificate.json, {out}.public.html, {out}.codebook.md, {out}.codebook.json
For you alone:   all other files. Whoever knows how a release was made can undo more of it.

shoal verify {out}                     checks the release from its rows and its certificate
python release.py ORIGINAL-TABLE       repeats it, row for row
shoal release --from {out}.record.json -o again.csv
                                       the same, if the original table is here as {table}
"""


class Releases:
    """The last step: one release at a time, in the workspace's folder."""

    def __init__(self, bench: Bench) -> None:
        self._bench, self._folder = bench, bench.folder

    def make(
        self,
        solution: Mapping[str, Any],
        *,
        ending: str = "csv",
        seed: int | None = None,
        spreadsheet_safe: bool = False,
        pseudonyms: str | None = None,
        household_k: int | None = None,
        accept_attack: Sequence[str] = (),
        again: bool = False,
        population: Bench | None = None,
        k: int | None = None,
        point: int | None = None,
        recoding: str | None = None,
        asked: Mapping[str, Any] | None = None,
        made_for: str | None = None,
        progress: Callable[[float], None] | None = None,
    ) -> Document:
        """Write and verify the release of a solution, and return what `shoal release --json` prints.

        `asked` says how the solution was found, for the script, and `made_for` is the `State.recoding_key`
        it was found for. A solution of another study is refused, and so is one found on other counts,
        unless `again` applies it to these. An earlier release is replaced. Stable `pseudonyms` have the
        secret of this workspace, so that all its releases name a person alike. An attack that proves a
        promise broken stops it, unless `accept_attack` names it. `k`, `point` and `recoding`
        choose from a frontier; another workspace's table may be the `population`.
        """
        if ending not in ENDINGS:
            raise InputError(f"no table ends in {show(ending)}; {did_you_mean(ending, ENDINGS)}")
        solution = self._bench.solution_in(solution, k, point, recoding)
        people = None if population is None else population.table()
        if people is None:
            self._bench.release_of(solution, again)
        self._bench.check_room()
        fresh = self._folder / f"{_MADE}-{secrets.token_hex(4)}.new"
        fresh.mkdir(mode=0o700)
        try:
            # Decisions may change meanwhile; the release carries the study of its own rows.
            with self._bench.lock:
                self._bench.check_made_for(made_for)
                state, study = self._bench.state, self._bench.own_study(people)
            with study:
                made = study.release(
                    solution,
                    seed=seed,
                    spreadsheet_safe=spreadsheet_safe,
                    pseudonyms=pseudonyms,
                    secret=self._secret() if pseudonyms == STABLE else None,
                    household_k=household_k,
                    accept_attack=accept_attack,
                    again=again,
                )
                document = made.write(fresh / f"anonymized.{ending}", progress=progress).to_dict()
                self._write_papers(fresh, study, state, solution, made, asked or {}, again)
            self._bench.check_room()
            document["file"] = f"anonymized.{ending}"
            document.pop("lineage")  # as in the record, see below
        except BaseException:
            shutil.rmtree(fresh, ignore_errors=True)
            raise
        with self._bench.lock:
            self._forget()
            fresh.rename(self._folder / _MADE)
            self._tell({"document": document, "acknowledged": [], "study": state.study_key})
        return document

    def _write_papers(
        self,
        folder: Path,
        study: SharedStudy,
        state: State,
        solution: Mapping[str, Any],
        made: StudyRelease,
        asked: Mapping[str, Any],
        again: bool,
    ) -> None:
        """Write what is needed to repeat the release: study, hierarchies, solution and script."""
        released = set(folder.iterdir())
        out = next(path.name for path in released if path.stem == "anonymized")
        table = _table_name(study.specification.table)
        # The record places the table beside itself: where it is on this server is nobody's business.
        record = folder / f"{out}.record.json"
        document = record_in(record)
        document["table"]["path"] = table
        document.pop("lineage", None)  # names files by where they are
        if "population" in document:
            document["population"]["path"] = "population" + Path(table).suffix
        record.write_text(text_of(document), encoding="utf-8")
        write_study(folder, table, state.columns, study.hierarchy, state.units, state.reading)
        (folder / "solution.json").write_text(text_of(solution), encoding="utf-8")
        text = script(
            table, out, made, asked, again, population=study.specification.population is not None
        )
        (folder / "release.py").write_text(text, encoding="utf-8")
        (folder / "READ-ME.txt").write_text(_READ_ME.format(out=out, table=table), encoding="utf-8")
        for beside in {*folder.iterdir()} - released:
            make_private(beside)

    def _secret(self) -> Path:
        """Return the file of the secret that this workspace's stable pseudonyms are made from."""
        kept = self._folder / _SECRET
        with self._bench.lock:
            if not kept.is_file():
                write_private(kept, new_secret())
        return kept

    @property
    def made(self) -> bool:
        """Whether there is a release."""
        return (self._folder / _TOLD).is_file()

    def file(self) -> Path:
        """Return the released table, which its papers are beside."""
        return self._folder / _MADE / str(self._there()["document"]["file"])

    @property
    def study_key(self) -> str | None:
        """The `State.study_key` that the release is of; None if an older version made it."""
        key: str | None = self._there().get("study")
        return key

    @property
    def attacked(self) -> Path:
        """Where it is kept what attacks found on the release; it goes with the release."""
        return self._folder / _ATTACKED

    def current(self) -> Document | None:
        """Return the release: its document, the warnings still to acknowledge, and its files."""
        told = self._told()
        return None if told is None else self._shown(told)

    def _shown(self, told: Mapping[str, Any]) -> Document:
        return {
            **told["document"],
            "acknowledged": told["acknowledged"],
            "to_acknowledge": self._left(told),
            "files": self._files(),
        }

    def acknowledge(self, codes: Iterable[str]) -> Document:
        """Confirm that the warnings with these codes were read."""
        with self._bench.lock:
            told = self._there()
            known = [warning["code"] for warning in told["document"]["warnings"]]
            for code in codes:
                if code not in known:
                    raise InputError(f"there is no warning {show(code)}; {did_you_mean(code, known)}")
                if code not in told["acknowledged"]:
                    told["acknowledged"].append(code)
            self._tell(told)
        return self._shown(told)

    def verify(self) -> Document:
        """Recheck the release from its files, as `shoal verify --json` prints it."""
        return verdict_of(self.file())

    def download(self, part: str = ALL) -> Path:
        """Return the zip file of the release, or of its public or private files.

        Refuse until its warnings are acknowledged.
        """
        if part not in PARTS:
            raise InputError(f"no part of a release is called {show(part)}; {did_you_mean(part, PARTS)}")
        with self._bench.lock:
            told = self._there()
            if left := self._left(told):
                raise NotYetError(f"acknowledge these warnings first: {', '.join(left)}")
            place = self._folder / PARTS[part]
            if not place.is_file():
                beside = place.with_suffix(".new")
                remove(beside)
                create(beside, private=True)
                with zipfile.ZipFile(beside, "w", zipfile.ZIP_DEFLATED) as packed:
                    for name in self._files():
                        if part != ALL and is_public(name, told["document"]["file"]) != (part == PUBLIC):
                            continue
                        packed.write(self._folder / _MADE / name, name)
                beside.replace(place)
            return place

    def _forget(self) -> None:
        """Remove the release."""
        shutil.rmtree(self._folder / _MADE, ignore_errors=True)
        for name in (_TOLD, _ATTACKED, *PARTS.values()):
            (self._folder / name).unlink(missing_ok=True)

    @staticmethod
    def _left(told: Mapping[str, Any]) -> list[str]:
        """Return the warnings still to acknowledge; notes need no answer."""
        warnings = told["document"]["warnings"]
        serious = dict.fromkeys(one["code"] for one in warnings if one["level"] != "note")
        return [code for code in serious if code not in told["acknowledged"]]

    def _files(self) -> list[str]:
        made = self._folder / _MADE
        return sorted(path.relative_to(made).as_posix() for path in made.rglob("*") if path.is_file())

    def _told(self) -> dict[str, Any] | None:
        try:
            found: dict[str, Any] = json.loads((self._folder / _TOLD).read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return found

    def _there(self) -> dict[str, Any]:
        told = self._told()
        if told is None:
            raise NotYetError("nothing is released yet; release a solution first")
        return told

    def _tell(self, told: Mapping[str, Any]) -> None:
        keep_text(self._folder / _TOLD, json.dumps(told, ensure_ascii=False))


def is_public(name: str, table: str) -> bool:
    """Whether a file of a release is for everybody; whatever is not known to be is for the curator alone.

    >>> is_public("a.csv.record.json", "a.csv"), is_public("a.csv.sensitive.csv", "a.csv")
    (False, True)
    """
    if not name.startswith(table):
        return False
    added = name.removeprefix(table)
    return added in _ANYONE or (added.startswith(".sensitive.") and added.count(".") == 2)


def _table_name(table: Any) -> str:
    """Return the table's name in a downloaded study, which does not reveal its name here."""
    try:
        return "table" + ending_of(Path(table))
    except (InputError, TypeError):
        return "table.csv"
