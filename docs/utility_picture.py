"""Draws the picture of docs/utility.md: how much of each column moved in the demo's release.

shoal demo
python docs/utility_picture.py shoal-demo
"""

from __future__ import annotations

import sys
from pathlib import Path

import shoal
from shoal.present.charts.bars import bars_chart
from shoal.present.charts.svg import alone
from shoal.present.charts.utility_charts import moved_bars

PICTURE = Path(__file__).with_name("screenshots") / "utility.svg"


def main(folder: str = "shoal-demo") -> None:
    """Measure the release in the demo's folder, and draw."""
    found = shoal.utility(Path(folder, "release.csv"), source=Path(folder, "study.yaml"))
    PICTURE.write_text(alone(bars_chart(moved_bars(found.columns), 640)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
