"""Draws the picture of docs/attacks.md: attacks on the demo's release, beside the guess without it.

shoal demo
python docs/attack_picture.py shoal-demo
"""

from __future__ import annotations

import sys
from pathlib import Path

import shoal
from shoal.present.charts.attack_bars import attack_overview
from shoal.present.charts.bars import bars_chart
from shoal.present.charts.svg import alone

PICTURE = Path(__file__).with_name("screenshots") / "attacks.svg"


def main(folder: str = "shoal-demo") -> None:
    """Attack the release in the demo's folder, and draw."""
    found = shoal.attack(Path(folder, "release.csv"), source=Path(folder, "study.yaml"))
    PICTURE.write_text(alone(bars_chart(attack_overview(found), 640)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
