"""The states of the USA by the divisions and regions of its census bureau."""

from __future__ import annotations

_DIVISIONS = {
    ("New England", "Northeast"): "CT Connecticut, ME Maine, MA Massachusetts, NH New Hampshire, "
    "RI Rhode Island, VT Vermont",
    ("Middle Atlantic", "Northeast"): "NJ New Jersey, NY New York, PA Pennsylvania",
    ("East North Central", "Midwest"): "IL Illinois, IN Indiana, MI Michigan, OH Ohio, WI Wisconsin",
    ("West North Central", "Midwest"): "IA Iowa, KS Kansas, MN Minnesota, MO Missouri, NE Nebraska, "
    "ND North Dakota, SD South Dakota",
    ("South Atlantic", "South"): "DE Delaware, DC District of Columbia, FL Florida, GA Georgia, "
    "MD Maryland, NC North Carolina, SC South Carolina, VA Virginia, WV West Virginia",
    ("East South Central", "South"): "AL Alabama, KY Kentucky, MS Mississippi, TN Tennessee",
    ("West South Central", "South"): "AR Arkansas, LA Louisiana, OK Oklahoma, TX Texas",
    ("Mountain", "West"): "AZ Arizona, CO Colorado, ID Idaho, MT Montana, NV Nevada, NM New Mexico, "
    "UT Utah, WY Wyoming",
    ("Pacific", "West"): "AK Alaska, CA California, HI Hawaii, OR Oregon, WA Washington",
    (
        "Territories",
        "Territories",
    ): "AS American Samoa, GU Guam, MP Northern Mariana Islands, PR Puerto Rico, VI Virgin Islands",
}
_KNOWN = {
    key.casefold(): path
    for path, states in _DIVISIONS.items()
    for state in states.split(", ")
    for key in state.split(" ", 1)
}


def us_state_path(value: str) -> tuple[str, str] | None:
    """Return the division and the region of a state.

    >>> us_state_path("CA"), us_state_path("ohio")
    (('Pacific', 'West'), ('East North Central', 'Midwest'))
    """
    return _KNOWN.get(value.casefold())
