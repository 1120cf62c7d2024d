"""What a policy's check found, in the forms that build servers and code hosts read: JUnit and SARIF."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote
from xml.etree import ElementTree

from shoal.assess.policy_check import PolicyVerdict
from shoal.errors import printable
from shoal.version import VERSION


def junit(found: PolicyVerdict) -> str:
    """Return the demands as test cases of JUnit's XML, a failure for each that is not met.

    XML has no place for control characters, so that those of columns' names are written as escapes.
    """
    unmet = [demand for demand in found.demands if not demand.met]
    name = printable(f"shoal check-release {found.policy}")
    counts = {"name": name, "tests": str(len(found.demands)), "failures": str(len(unmet))}
    suite = ElementTree.Element("testsuite", counts)
    for demand in found.demands:
        about = {"classname": printable(found.release), "name": printable(demand.name)}
        case = ElementTree.SubElement(suite, "testcase", about)
        if not demand.met:
            ElementTree.SubElement(case, "failure", message=printable(str(demand)))
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def sarif(found: PolicyVerdict) -> str:
    """Return the demands that are not met as results of SARIF 2.1.0, each at its line of the policy."""
    rules = [
        {"id": name, "shortDescription": {"text": f"{name}: {asked}"}}
        for name, asked in {demand.name: demand.asked for demand in found.demands}.items()
    ]
    results = [
        {
            "ruleId": demand.name,
            "level": "error",
            "message": {"text": f"{found.release}: {demand}"},
            "locations": [
                {
                    "physicalLocation": {
                        "artifactLocation": {"uri": quote(Path(found.policy).as_posix())},
                        "region": {"startLine": demand.line or 1},
                    }
                }
            ],
        }
        for demand in found.demands
        if not demand.met
    ]
    driver = {"name": "shoal", "version": VERSION, "rules": rules}
    run = {"tool": {"driver": driver}, "results": results}
    return json.dumps({"version": "2.1.0", "runs": [run]}, indent=2) + "\n"
