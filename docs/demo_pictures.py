"""Draws the pictures of the demo: what privacy costs, what attacks find, and what moved in its release.

python docs/demo_pictures.py

A test compares the pictures with what this draws.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import shoal
from shoal.present.charts.attack_bars import attack_overview
from shoal.present.charts.bars import bars_chart
from shoal.present.charts.svg import alone
from shoal.present.charts.utility_charts import moved_bars

FOLDER = Path(__file__).with_name("screenshots")
WIDTH = 640.0


def pictures(folder: Path) -> dict[str, str]:
    """Return every picture by its name; the demo is made in a folder."""
    start = (sys.executable, "-c", "from shoal.cli import main; main()")
    subprocess.run([*start, "demo", folder, "--force"], check=True, stdout=subprocess.DEVNULL)
    release, study = folder / "release.csv", folder / "study.yaml"
    attacked, used = shoal.attack(release, source=study), shoal.utility(release, source=study)
    return {
        "privacy-costs": (folder / "frontier.svg").read_text(encoding="utf-8"),
        "attacks": alone(bars_chart(attack_overview(attacked), WIDTH)) + "\n",
        "utility": alone(bars_chart(moved_bars(used.columns), WIDTH)) + "\n",
    }


def main() -> None:
    """Draw all of them."""
    with tempfile.TemporaryDirectory() as folder:
        for name, picture in pictures(Path(folder)).items():
            (FOLDER / f"{name}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
