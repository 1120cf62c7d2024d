"""What attacks find on releases of Adult by every kind of recoding, and how long they take.

Seven quasi attributes, occupation is sensitive. k = 5, for the node with 1% suppressed; the cut keeps l = 3
besides, so that minimality has something to conclude from, and Anatomy l = 3 alone. Each attack is shown
in the case that is most above its baseline; composition is with the first release of the table. The robust
releases may lose two hundredths of all detail more; each is drawn anew at every run.

Beside it, on the same rows and with the same rows held out, what Anonymeter finds of linkability and
inference: on one level or one cut a column a person's released label is the only one that fits, so that
its distance between labels is ours. It is installed into an environment of its own, in the folder of the
results.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from benchmarks.data import ATTRIBUTES, adult
from benchmarks.environments import installed
from benchmarks.runner import RESULTS, Options, alone
from benchmarks.table import Result
from benchmarks.timing import apart_with
from shoal import Study, attack
from shoal.assess.attacks import minimality
from shoal.assess.attacks.attack_report import Finding
from shoal.assess.attacks.attacking import NAMES
from shoal.assess.attacks.held_out import Halves, halve
from shoal.assess.attacks.inference import TRIES
from shoal.assess.attacks.opened_release import set_scene
from shoal.assess.attacks.scene import Scene
from shoal.present.charts.attack_bars import telling

QUASI, SECRET = ATTRIBUTES[:-1], "occupation"
K, L = 5, 3
SEARCH_LIMIT = 30.0
ROBUST = 0.02
"""The share of all detail that robust releases may lose more; their time is for both, and for attacks."""
METHODS: dict[str, Callable[[Study], Any]] = {
    "node": lambda study: study.anonymize("flash", k=K, suppress="1%", time_limit=SEARCH_LIMIT),
    "cut": lambda study: study.optimize(k=K, l=L, time_limit=SEARCH_LIMIT),
    "local recoding": lambda study: study.anonymize("local-recoding", k=K, time_limit=SEARCH_LIMIT),
    "Mondrian": lambda study: study.anonymize("mondrian", k=K, time_limit=SEARCH_LIMIT),
    "Anatomy": lambda study: study.anonymize("anatomy", l=L, time_limit=SEARCH_LIMIT),
    "cut, robust": lambda study: study.optimize(k=K, l=L, robust=ROBUST, time_limit=2 * SEARCH_LIMIT),
    "local recoding, robust": lambda study: study.anonymize(
        "local-recoding", k=K, robust=ROBUST, time_limit=4 * SEARCH_LIMIT
    ),
    "Mondrian, robust": lambda study: study.anonymize(
        "mondrian", k=K, robust=ROBUST, time_limit=4 * SEARCH_LIMIT
    ),
}
QUICK_QUASI, QUICK_ROWS, QUICK = QUASI[3:6], 300, ("cut", "Anatomy")
PEER_LIMIT = 600.0
PACKAGES = ("anonymeter==1.1.0", "numpy==1.26.4", "pandas==2.1.4")
ENVIRONMENT = RESULTS / "anonymeter-environment"
LIKE_OURS = ("node", "cut")
COMPARED = ("linkability", "inference")


def run(options: Options) -> Result:
    data = adult()
    python = installed(ENVIRONMENT, PACKAGES, "Anonymeter") if options.full else None
    rows: list[dict[str, Any]] = []
    first: list[Path] = []
    with TemporaryDirectory() as folder:
        table = Path(folder) / "table.csv"
        lines = data.table.read_text(encoding="utf-8").splitlines(keepends=True)
        table.write_text("".join(lines[: QUICK_ROWS + 1] if options.quick else lines), encoding="utf-8")
        quasi = {n: data.hierarchies[n] for n in (QUICK_QUASI if options.quick else QUASI)}
        with Study(table, quasi=quasi, sensitive=SECRET) as study:
            for method, search in METHODS.items():
                if options.quick and method not in QUICK:
                    continue
                out = Path(folder) / f"{method}.csv"
                # A release that minimality breaks is what is to be seen here.
                study.release(search(study), seed=0, accept_attack=[minimality.NAME]).write(out)
                findings = attack(out, source=study, other=map(str, first)).findings
                first = first or [out]
                scene = set_scene(study.material(), out)
                for finding in findings:
                    peer = None
                    if python and method in LIKE_OURS and finding.attack in COMPARED:
                        peer = _peer(str(python), scene, finding.attack, Path(folder))
                    rows.append(_row(method, finding, peer))
    size = QUICK_ROWS if options.quick else len(lines) - 1
    notes = [*NOTES, data.source]
    if python is None:
        notes.append("Anonymeter is left out: --full installs and runs it")
    return Result(f"Attacks on releases of {size:,} rows of Adult", rows, notes)


NOTES = [
    "success and baseline: of the case that is most above its baseline (docs/attacks.md); risk: what is "
    "above it, as a part of what could be",
    "certain: rows whose value is certain; of downcoding, finer values that certainly occur in a group",
    "without figures: the attack does not apply to such a release, or the release has nothing for it",
    "Anonymeter: its risk, and the interval that it gives it (95%); within: whether our risk is in there",
]


def _row(method: str, finding: Finding, peer: dict[str, Any] | None) -> dict[str, Any]:
    case = telling(finding) if finding.cases else None
    risk = None if case is None else max(case.gain, 0.0)
    return {
        "recoding": method,
        "attack": finding.attack,
        "case": "" if case is None else case.name,
        "success": None if case is None else case.found.share,
        "baseline": None if case is None else case.baseline.share,
        "risk": risk,
        "certain": None if case is None else case.details.get("certain_rows", case.certain),
        "s": finding.seconds,
        "Anonymeter": peer and peer["risk"],
        "from": peer and peer["low"],
        "to": peer and peer["high"],
        "within": None if peer is None or risk is None else peer["low"] <= risk <= peer["high"],
    }


def _peer(python: str, scene: Scene, attack: str, folder: Path) -> dict[str, Any]:
    """What Anonymeter finds on the rows that our attack releases and holds out, by the same halves."""
    draw = np.random.default_rng([0, NAMES.index(attack)])  # as `attack_release` draws
    columns = list(scene.quasi)
    sides = [columns]
    if attack == "linkability":
        order = draw.permutation(len(columns))
        half = len(columns) // 2
        sides = [[columns[i] for i in np.sort(part)] for part in (order[:half], order[half:])]
    halves = halve(scene, draw)
    rows = folder / "rows.json"
    rows.write_text(json.dumps(_recoded(scene, halves)), encoding="utf-8")
    own = {"rows": str(rows), "attack": attack, "sides": sides, "secret": SECRET, "tries": TRIES}
    errors = folder / "errors.txt"
    try:
        return apart_with(python, PEER_LIMIT, errors, "benchmarks.anonymeter_peer:answer", **own)
    except subprocess.CalledProcessError as problem:
        said = errors.read_text(encoding="utf-8").strip().splitlines()
        raise RuntimeError(f"Anonymeter has no answer: {said[-1:]}") from problem


def _recoded(scene: Scene, halves: Halves) -> dict[str, dict[str, list[str]]]:
    """The recoded quasi values and the secrets of those who are released, and of those held out."""
    found = {}
    for who, places in (("released", halves.released), ("held_out", halves.held_out)):
        labels = scene.labels[scene.crowd.groups[places]]
        found[who] = {
            name: [str(scene.label_texts[a][code]) for code in labels[:, a].tolist()]
            for a, name in enumerate(scene.quasi)
        }
        secrets = scene.crowd.secrets[places, 0].tolist()
        found[who][SECRET] = [str(scene.secret_domains[0][code]) for code in secrets]
    return found


if __name__ == "__main__":
    alone(__file__)
