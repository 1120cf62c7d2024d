"""Two examples for each command, and the page that tells more: how its help ends."""

from __future__ import annotations

from functools import cache
from pathlib import Path

EXAMPLES: dict[str, tuple[str, tuple[str, ...]]] = {
    "demo": ("start.md", ("shoal demo", "shoal demo big --rows 100000")),
    "init": ("study-file.md", ("shoal init patients.csv", "shoal init patients.csv -o other.yaml")),
    "frontier": (
        "tour.md",
        (
            "shoal frontier patients.study.yaml --suppress 1% --save front.json",
            "shoal frontier patients.study.yaml --recoding all --plot costs.svg",
        ),
    ),
    "optimize": (
        "optimize.md",
        (
            "shoal optimize patients.study.yaml --k 5 --suppress 1%",
            "shoal optimize patients.study.yaml --l 3 --scheme allRec --save best.json",
        ),
    ),
    "negotiate": (
        "tour.md",
        (
            "shoal negotiate patients.study.yaml --k 10 --max-suppressed 1%",
            "shoal negotiate patients.study.yaml --k 5 --heights age=1,zip=2",
        ),
    ),
    "anonymize": (
        "methods.md",
        (
            "shoal anonymize patients.study.yaml --algorithm flash --k 5 --suppress 1%",
            "shoal anonymize patients.study.yaml --algorithm mondrian --k 5 --save answer.json",
        ),
    ),
    "compare": (
        "methods.md",
        (
            "shoal compare patients.study.yaml --k 5",
            "shoal compare patients.study.yaml --k 5 --suppress 1% --plot compare.svg",
        ),
    ),
    "release": (
        "tour.md",
        (
            "shoal release patients.study.yaml --solution front.json --k 10 -o out.csv",
            "shoal release --from out.csv.record.json -o again.csv",
        ),
    ),
    "verify": (
        "tour.md",
        ("shoal verify out.csv", "shoal verify out.csv --quasi age,sex,zip,admission --k 5"),
    ),
    "apply": (
        "tour.md",
        (
            "shoal apply out.csv.record.json next-month.csv -o next.csv",
            "shoal apply out.csv.record.json next-month.csv -o next.parquet",
        ),
    ),
    "diff": ("tour.md", ("shoal diff out.csv earlier.csv", "shoal diff out.csv earlier.csv --k 3")),
    "risk": (
        "risk.md",
        ("shoal risk patients.study.yaml", "shoal risk patients.csv --quasi age,sex,zip --suda 3"),
    ),
    "attack": (
        "attacks.md",
        (
            "shoal attack out.csv --source patients.study.yaml --report attacks.html",
            "shoal attack out.csv --source patients.study.yaml --attack linkage --known age,zip",
        ),
    ),
    "utility": (
        "utility.md",
        (
            "shoal utility out.csv --source patients.study.yaml",
            "shoal utility out.csv --source patients.study.yaml --report use.html",
        ),
    ),
    "check": (
        "study-file.md",
        (
            "shoal check patients.study.yaml",
            "shoal check patients.study.yaml --schema shoal-study.schema.json",
        ),
    ),
    "hierarchy": (
        "study-file.md",
        (
            "shoal hierarchy patients.study.yaml age",
            "shoal hierarchy patients.study.yaml age --quantiles 8",
        ),
    ),
    "check_release": (
        "pipelines.md",
        (
            "shoal check-release policy.yaml out.csv",
            "shoal check-release policy.yaml out.csv --junit result.xml --sarif result.sarif",
        ),
    ),
    "import_arx": (
        "coming-from.md",
        ("shoal import-arx project.deid", "shoal import-arx project.deid -o study.yaml"),
    ),
    "tally": (
        "engines.md",
        (
            "shoal tally patients.study.yaml -o patients.tally",
            "shoal tally patients.study.yaml -o patients.tally --update",
        ),
    ),
    "statements": (
        "warehouses.md",
        (
            "shoal statements patients.study.yaml --dialect snowflake --table ward.visits -o there",
            "shoal statements patients.study.yaml --dialect bigquery --table ward.visits "
            "--solution front.json --k 10 -o there",
        ),
    ),
    "serve": ("web.md", ("shoal serve", "shoal serve patients.study.yaml --no-browser")),
}
"""By command: the page of the documentation, and commands that work beside the files they name."""


def ending(command: str) -> str:
    """Return how a command's help ends; empty lines keep the lines apart.

    >>> print(ending("serve").replace("\\n\\n", "\\n"))  # doctest: +ELLIPSIS
    Examples:
    shoal serve
    shoal serve patients.study.yaml --no-browser
    More:
    ...web.md
    """
    page, examples = EXAMPLES[command]
    return "\n\n".join(["Examples:", *examples, *more(page)])


def more(page: str) -> tuple[str, str]:
    """Return the last lines of a help: where a page is on this machine, as Typer is to print it."""
    return "More:", str(pages() / page).replace("[", "\\[")


@cache
def pages() -> Path:
    """Return the folder of the documentation: an installed wheel has it inside, a checkout beside `src`."""
    inside = Path(__file__).parents[1] / "docs"
    return inside if inside.is_dir() else Path(__file__).parents[3] / "docs"
