"""Attacks on the release of a workspace, judged by its own table."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from shoal.assess.attacks.attacking import attack_release
from shoal.errors import ChangedError
from shoal.questions.releases import AttackQuestion
from shoal.web.workspace.bench import Bench
from shoal.web.workspace.questions import Document
from shoal.web.workspace.releasing import Releases
from shoal.web.workspace.state import keep_text


class Attacks:
    """What attacks find on the release that is there; a new release has not been attacked yet."""

    def __init__(self, bench: Bench, releases: Releases) -> None:
        self._bench, self._releases = bench, releases

    def attack(self, progress: Callable[[float, str], bool | None] | None = None) -> Document:
        """Try every attack on the release, keep what is found, and return it as `shoal attack --json` does.

        A release of the study as it was before a change is refused: judged by another study, success would
        mean nothing. If `progress` says so, the attacks end with those that were tried.
        """
        out = self._releases.file()
        with self._bench.lock:
            if self._releases.study_key not in (None, self._bench.state.study_key):
                raise ChangedError(
                    "the study has changed since this release was made, so attacks cannot be judged by it; "
                    "release again, or undo the change"
                )
            judged_by = self._bench.own_study()
        with judged_by:
            question = AttackQuestion(str(out), source=None)
            found = attack_release(judged_by.material(), question, progress)
        document: dict[str, Any] = found.to_dict() | {"file": out.name}
        with self._bench.lock:
            if self._releases.made:
                keep_text(self._releases.attacked, json.dumps(document, ensure_ascii=False))
        return document

    def current(self) -> Document | None:
        """Return what attacks found on the release that is there; None before they were tried."""
        try:
            found: dict[str, Any] = json.loads(self._releases.attacked.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        return found
