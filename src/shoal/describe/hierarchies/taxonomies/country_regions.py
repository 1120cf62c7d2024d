"""The countries of ISO 3166 by the subregions and regions of the United Nations (M49)."""

from __future__ import annotations

import unicodedata

_REGIONS = {
    "Africa": "Northern Africa, Eastern Africa, Middle Africa, Southern Africa, Western Africa",
    "Americas": "Caribbean, Central America, South America, Northern America",
    "Asia": "Central Asia, Eastern Asia, South-eastern Asia, Southern Asia, Western Asia",
    "Europe": "Eastern Europe, Northern Europe, Southern Europe, Western Europe",
    "Oceania": "Australia and New Zealand, Melanesia, Micronesia, Polynesia",
}
# Each country: its codes of two and three letters, then its names, with = between them.
_COUNTRIES = {
    "Northern Africa": """DZ DZA Algeria; EG EGY Egypt; LY LBY Libya; MA MAR Morocco; SD SDN Sudan; TN
    TUN Tunisia; EH ESH Western Sahara""",
    "Eastern Africa": """IO IOT British Indian Ocean Territory; BI BDI Burundi; KM COM Comoros; DJ DJI
    Djibouti; ER ERI Eritrea; ET ETH Ethiopia; TF ATF French Southern Territories; KE KEN Kenya; MG MDG
    Madagascar; MW MWI Malawi; MU MUS Mauritius; YT MYT Mayotte; MZ MOZ Mozambique; RE REU Réunion; RW
    RWA Rwanda; SC SYC Seychelles; SO SOM Somalia; SS SSD South Sudan; UG UGA Uganda; ZM ZMB Zambia; ZW
    ZWE Zimbabwe; TZ TZA Tanzania=United Republic of Tanzania""",
    "Middle Africa": """AO AGO Angola; CM CMR Cameroon; CF CAF Central African Republic; TD TCD Chad; CG
    COG Congo; CD COD Democratic Republic of the Congo=Congo, Democratic Republic; GQ GNQ Equatorial
    Guinea; GA GAB Gabon; ST STP Sao Tome and Principe""",
    "Southern Africa": """BW BWA Botswana; SZ SWZ Eswatini=Swaziland; LS LSO Lesotho; NA NAM Namibia; ZA
    ZAF South Africa""",
    "Western Africa": """BJ BEN Benin; BF BFA Burkina Faso; CV CPV Cabo Verde=Cape Verde; CI CIV Côte
    d'Ivoire=Ivory Coast; GM GMB Gambia; GH GHA Ghana; GN GIN Guinea; GW GNB Guinea-Bissau; LR LBR
    Liberia; ML MLI Mali; MR MRT Mauritania; NE NER Niger; NG NGA Nigeria; SH SHN Saint Helena; SN SEN
    Senegal; SL SLE Sierra Leone; TG TGO Togo""",
    "Caribbean": """AI AIA Anguilla; AG ATG Antigua and Barbuda; AW ABW Aruba; BS BHS Bahamas; BB BRB
    Barbados; BQ BES Bonaire, Sint Eustatius and Saba; VG VGB British Virgin Islands; KY CYM Cayman
    Islands; CU CUB Cuba; CW CUW Curaçao; DM DMA Dominica; DO DOM Dominican Republic; GD GRD Grenada; GP
    GLP Guadeloupe; HT HTI Haiti; JM JAM Jamaica; MQ MTQ Martinique; MS MSR Montserrat; PR PRI Puerto
    Rico; BL BLM Saint Barthélemy; KN KNA Saint Kitts and Nevis; LC LCA Saint Lucia; MF MAF Saint
    Martin; VC VCT Saint Vincent and the Grenadines; SX SXM Sint Maarten; TT TTO Trinidad and
    Tobago=Trinidad; TC TCA Turks and Caicos Islands; VI VIR United States Virgin Islands""",
    "Central America": """BZ BLZ Belize; CR CRI Costa Rica; SV SLV El Salvador; GT GTM Guatemala; HN HND
    Honduras; MX MEX Mexico; NI NIC Nicaragua; PA PAN Panama""",
    "South America": """AR ARG Argentina; BO BOL Bolivia; BV BVT Bouvet Island; BR BRA Brazil; CL CHL
    Chile; CO COL Colombia; EC ECU Ecuador; FK FLK Falkland Islands; GF GUF French Guiana; GY GUY
    Guyana; PY PRY Paraguay; PE PER Peru; GS SGS South Georgia and the South Sandwich Islands; SR SUR
    Suriname; UY URY Uruguay; VE VEN Venezuela""",
    "Northern America": """BM BMU Bermuda; CA CAN Canada; GL GRL Greenland; PM SPM Saint Pierre and
    Miquelon; US USA United States=United States of America=U.S.A.""",
    "Central Asia": """KZ KAZ Kazakhstan; KG KGZ Kyrgyzstan; TJ TJK Tajikistan; TM TKM Turkmenistan; UZ
    UZB Uzbekistan""",
    "Eastern Asia": """CN CHN China; HK HKG Hong Kong; MO MAC Macao=Macau; KP PRK North Korea=Democratic
    People's Republic of Korea; JP JPN Japan; MN MNG Mongolia; KR KOR South Korea=Republic of Korea; TW
    TWN Taiwan""",
    "South-eastern Asia": """BN BRN Brunei Darussalam=Brunei; KH KHM Cambodia; ID IDN Indonesia; LA LAO
    Laos=Lao People's Democratic Republic; MY MYS Malaysia; MM MMR Myanmar=Burma; PH PHL Philippines; SG
    SGP Singapore; TH THA Thailand; TL TLS Timor-Leste=East Timor; VN VNM Viet Nam=Vietnam""",
    "Southern Asia": """AF AFG Afghanistan; BD BGD Bangladesh; BT BTN Bhutan; IN IND India; IR IRN
    Iran=Islamic Republic of Iran; MV MDV Maldives; NP NPL Nepal; PK PAK Pakistan; LK LKA Sri Lanka""",
    "Western Asia": """AM ARM Armenia; AZ AZE Azerbaijan; BH BHR Bahrain; CY CYP Cyprus; GE GEO Georgia;
    IQ IRQ Iraq; IL ISR Israel; JO JOR Jordan; KW KWT Kuwait; LB LBN Lebanon; OM OMN Oman; QA QAT Qatar;
    SA SAU Saudi Arabia; PS PSE State of Palestine=Palestine; SY SYR Syria=Syrian Arab Republic; TR TUR
    Türkiye=Turkey; AE ARE United Arab Emirates; YE YEM Yemen""",
    "Eastern Europe": """BY BLR Belarus; BG BGR Bulgaria; CZ CZE Czechia=Czech Republic; HU HUN Hungary;
    PL POL Poland; MD MDA Moldova=Republic of Moldova; RO ROU Romania; RU RUS Russia=Russian Federation;
    SK SVK Slovakia; UA UKR Ukraine""",
    "Northern Europe": """AX ALA Åland Islands; DK DNK Denmark; EE EST Estonia; FO FRO Faroe Islands; FI
    FIN Finland; GG GGY Guernsey; IS ISL Iceland; IE IRL Ireland; IM IMN Isle of Man; JE JEY Jersey; LV
    LVA Latvia; LT LTU Lithuania; NO NOR Norway; SJ SJM Svalbard and Jan Mayen; SE SWE Sweden; GB GBR
    United Kingdom=England=Scotland= Wales=Northern Ireland=Great Britain=UK""",
    "Southern Europe": """AL ALB Albania; AD AND Andorra; BA BIH Bosnia and Herzegovina; HR HRV Croatia;
    GI GIB Gibraltar; GR GRC Greece; VA VAT Holy See=Vatican; IT ITA Italy; MT MLT Malta; ME MNE
    Montenegro; MK MKD North Macedonia=Macedonia; PT PRT Portugal; SM SMR San Marino; RS SRB Serbia; SI
    SVN Slovenia; ES ESP Spain""",
    "Western Europe": """AT AUT Austria; BE BEL Belgium; FR FRA France; DE DEU Germany; LI LIE
    Liechtenstein; LU LUX Luxembourg; MC MCO Monaco; NL NLD Netherlands=Holland; CH CHE Switzerland""",
    "Australia and New Zealand": """AU AUS Australia; CX CXR Christmas Island; CC CCK Cocos Islands; HM
    HMD Heard Island and McDonald Islands; NZ NZL New Zealand; NF NFK Norfolk Island""",
    "Melanesia": """FJ FJI Fiji; NC NCL New Caledonia; PG PNG Papua New Guinea; SB SLB Solomon Islands;
    VU VUT Vanuatu""",
    "Micronesia": """GU GUM Guam; KI KIR Kiribati; MH MHL Marshall Islands; FM FSM Federated States of
    Micronesia; NR NRU Nauru; MP MNP Northern Mariana Islands; PW PLW Palau; UM UMI United States Minor
    Outlying Islands""",
    "Polynesia": """AS ASM American Samoa; CK COK Cook Islands; PF PYF French Polynesia; NU NIU Niue; PN
    PCN Pitcairn; WS WSM Samoa; TK TKL Tokelau; TO TON Tonga; TV TUV Tuvalu; WF WLF Wallis and Futuna
    Islands""",
}


def _plain(name: str) -> str:
    apart = unicodedata.normalize("NFD", name.casefold().replace("-", " ").replace("&", "and"))
    return " ".join("".join(mark for mark in apart if not unicodedata.combining(mark)).split())


def _known() -> dict[str, tuple[str, str]]:
    regions = {part: region for region, parts in _REGIONS.items() for part in parts.split(", ")}
    found = {"aq": ("Antarctica",) * 2, "ata": ("Antarctica",) * 2, "antarctica": ("Antarctica",) * 2}
    for part, listed in _COUNTRIES.items():
        for country in listed.split(";"):
            two, three, names = country.split(maxsplit=2)
            for key in (two, three, *names.split("=")):
                found[_plain(key)] = (part, regions[part])
    return found


_KNOWN = _known()


def country_path(value: str) -> tuple[str, str] | None:
    """Return the subregion and the region of a country, by its English name or its ISO code.

    >>> country_path("DE"), country_path("Viet-Nam"), country_path("Atlantis")
    (('Western Europe', 'Europe'), ('South-eastern Asia', 'Asia'), None)
    """
    return _KNOWN.get(_plain(value))
