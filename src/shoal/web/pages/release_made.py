"""A finished release: what was verified, what to acknowledge, and the download."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from html import escape
from typing import Any

from nicegui import ui

from shoal.numbers import percent
from shoal.web.pages import parts
from shoal.web.pages.compare_rows import promise_words
from shoal.web.pages.frame import Frame
from shoal.web.workspace.releasing import PARTS, PRIVATE, PUBLIC
from shoal.web.workspace.workspace import Workspace

LEVELS = {"serious": "Serious", "warning": "Warning", "note": "Note"}
_FOR = {
    ".certificate.json": "what is promised and what was measured; for everybody",
    ".public.html": "the same, to read; for everybody",
    ".codebook.md": "what the columns and their values are, to read; for everybody",
    ".codebook.json": "the same, for programs; for everybody",
    ".record.json": "how it was made, with the seed; for you alone",
    ".groups.parquet": "which values each group has, and their labels; for you alone",
    ".hierarchies.parquet": "how values are coarsened, as it was then; for you alone",
    ".report.html": "the full report; for you alone",
    "study.yaml": "the study; for you alone",
    "solution.json": "the solution; for you alone",
    "release.py": "the Python script that repeats the release; for you alone",
    "READ-ME.txt": "what each file is",
}


class MadePanel:
    """Shows the release of a workspace, if there is one."""

    def __init__(self, work: Workspace, frame: Frame) -> None:
        self.work, self.frame = work, frame
        self.place = ui.element("div").classes("made")

    def hide(self) -> None:
        """Clear the panel."""
        self.place.clear()

    def show(self) -> None:
        """Show the release as it is now."""
        self.place.clear()
        made = self.work.releases.current()
        if made is None:
            return
        with self.place:
            self._verified(made)
            self._warnings(made)
            self._download(made)

    def _verified(self, made: Mapping[str, Any]) -> None:
        certificate = made["certificate"]
        measured = certificate["measured"]
        kept = self.work.wishes.get("released", {})
        with parts.panel():
            self.verdict = ui.html(_holds(), sanitize=False).classes("outcome").props("role=status")
            if kept.get("study") != self.work.bench.state.study_key:
                parts.hint("The study has changed since; this release is of the study as it was.")
            title, promise = kept.get("title", "A solution"), promise_words(certificate["promise"])
            parts.text(f"{title}: promises {promise}.")
            with parts.facts():
                parts.fact("Rows released", f"{measured['rows']:,}")
                gone = made["suppressed"]["rows"]
                share = f" ({percent(gone / (gone + measured['rows']))})" if gone else ""
                parts.fact("Rows suppressed", f"{gone:,}{share}", what="suppression")
                parts.fact("Groups", f"{measured['groups']:,}", what="equivalence class")
                counted = measured.get("persons", measured)
                if "persons" in measured:
                    parts.fact("Persons released", f"{counted['count']:,}")
                    parts.fact("Persons suppressed", f"{made['suppressed']['persons']:,}")
                least = f"{counted['k']:,}" + (" persons" if "persons" in measured else "")
                parts.fact("Smallest group (k)", least, what="k-anonymity")
                for column, found in counted.get("sensitive", {}).items():
                    if found.get("l") is not None:
                        name = f"Fewest values of {column} (l)"
                        parts.fact(name, f"{found['l']:,}", what="l-diversity")
                if "households" in made:
                    parts.fact("Households suppressed", f"{made['households']['suppressed']:,}")
            for counted_by_us in ("persons", "households"):
                if counted_by_us in certificate:
                    parts.note(certificate[counted_by_us]["said"])
            self._columns(certificate)
            with parts.actions():
                parts.button("Verify again", self.verify, icon="fact_check")
                digest = certificate["sha256"]
                parts.label(f"SHA-256 {digest[:16]}…").classes("note").tooltip(digest)

    def _columns(self, certificate: Mapping[str, Any]) -> None:
        """Say what happened to each column; only the quasi ones are recoded."""
        released, quasi = certificate["columns"], certificate["quasi"]
        person, shifted = certificate.get("persons", {}).get("column"), certificate.get("shifted", {})
        changed = {*quasi, *shifted, person}
        told = {
            "Recoded": [name for name in released if name in quasi],
            "Pseudonyms": [] if person is None else [person],
            "Dates moved": [f"{name} by up to {days:,} days" for name, days in shifted.items()],
            "Released as they are": [name for name in released if name not in changed],
            "Not released": [name for name in self.work.bench.look.columns if name not in released],
        }
        for words, names in told.items():
            if names:
                parts.note(f"{words}: {parts.listed(names)}.")

    async def verify(self) -> None:
        """Recheck the release from its files."""
        found = await self.frame.attempt(self.work.releases.verify)
        if found is not None:
            self.verdict.set_content(_holds(found))
            self.frame.say("The promise holds." if found["holds"] else "The promise does not hold.")

    def _warnings(self, made: Mapping[str, Any]) -> None:
        warnings = made["warnings"]
        with parts.panel("What to know before it leaves"):
            if not warnings:
                parts.text("Nothing to warn about.")
            with ui.element("ul").classes("warnings"):
                for warning in warnings:
                    self._warning(warning, made["acknowledged"])
            self.left = parts.note("").props("role=status")

    def _warning(self, warning: Mapping[str, Any], acknowledged: list[str]) -> None:
        code, level = warning["code"], warning["level"]
        with ui.element("li").classes(f"warning level-{level}"):
            parts.label(LEVELS.get(level, level.title())).classes("level")
            parts.text(warning["sentence"])
            if level == "note":
                return
            done = code in acknowledged
            box = ui.checkbox("I have read this and release it anyway", value=done)
            parts.named(box, f"Acknowledge: {code}")
            box.set_enabled(not done)
            box.on_value_change(partial(self._acknowledge, code, box))

    async def _acknowledge(self, code: str, box: ui.checkbox, event: Any) -> None:
        if not event.value:
            return
        made = await self.frame.attempt(self.work.releases.acknowledge, [code])
        box.set_enabled(made is None)
        if made is None:
            box.set_value(False)
        else:
            self._tell_left(made)

    def _tell_left(self, made: Mapping[str, Any]) -> None:
        """Say how many warnings are left to acknowledge; offer the files once there is none.

        The boxes stay the same elements: the server drops clicks on elements that it has replaced, and
        somebody who ticks several boxes ticks them quickly.
        """
        left = len(made["to_acknowledge"])
        number = "one warning" if left == 1 else f"{left} warnings"
        self.left.set_content(f"Acknowledge {number} before the download.")
        self.left.set_visibility(bool(left))
        self.files.clear()
        with self.files:
            for part, words in (
                (PUBLIC, "Download for the public"),
                (PRIVATE, "Download for you alone"),
            ):
                if left:
                    button = parts.button(words, lambda: None, icon="download", kind="main")
                    button.set_enabled(False)
                    continue
                target = f"/api/studies/{self.work.key}/release.zip?part={part}"
                parts.file_link(words, target, PARTS[part])

    def _download(self, made: Mapping[str, Any]) -> None:
        with parts.panel("Two downloads"):
            parts.text("What everybody may have, and what is for you alone, are two files.")
            self.files = parts.actions()
            self._tell_left(made)
            parts.note(
                "Private are the record, the report, the study, and a Python script that repeats the "
                "release: whoever knows how a release was made can undo more of it."
            )
            with parts.details(f"The {len(made['files'])} files in them"):
                rows = [(name, _what(name, made["file"])) for name in made["files"]]
                parts.table("Files", ("file", "what it is"), rows)


def _what(name: str, data: str) -> str:
    if name == data:
        return "the anonymized table; for everybody"
    if name.startswith("hierarchies/") or ".mappings/" in name:
        return "what values become; for you alone"
    return next((words for end, words in _FOR.items() if name.endswith(end)), "")


def _holds(found: Mapping[str, Any] | None = None) -> str:
    if found is None or found["holds"]:
        words = "from the released rows alone, after writing them" if found is None else "just now"
        return (
            '<h2 class="yes"><span class="sign" aria-hidden="true">✓</span> Verified</h2>'
            f"<p>The promise holds; checked {words}.</p>"
        )
    failures = "; ".join(escape(str(each)) for each in found["failures"])
    return (
        '<h2 class="no"><span class="sign" aria-hidden="true">✗</span> It does not hold</h2>'
        f"<p>{failures}. Do not publish it; make it again.</p>"
    )
