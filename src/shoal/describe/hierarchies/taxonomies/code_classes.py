"""Classifications whose codes carry their order: ICD-10, ISCO-08, NACE Rev. 2, ISCED 2011."""

from __future__ import annotations

import re

_CHAPTERS = """A00-B99 infectious and parasitic diseases; C00-D48 neoplasms; D50-D89 blood and immune system;
E00-E90 endocrine, nutritional and metabolic diseases; F00-F99 mental and behavioural disorders;
G00-G99 nervous system; H00-H59 eye; H60-H95 ear; I00-I99 circulatory system; J00-J99 respiratory
system; K00-K93 digestive system; L00-L99 skin; M00-M99 musculoskeletal system; N00-N99
genitourinary system; O00-O99 pregnancy and childbirth; P00-P96 perinatal period; Q00-Q99
congenital malformations; R00-R99 symptoms and abnormal findings; S00-T98 injury and poisoning;
V01-Y98 external causes; Z00-Z99 factors influencing health status; U00-U99 special purposes"""
_BLOCKS = """A00-A09 A15-A19 A20-A28 A30-A49 A50-A64 A65-A69 A70-A74 A75-A79 A80-A89 A90-A99 B00-B09 B15-B19
B20-B24 B25-B34 B35-B49 B50-B64 B65-B83 B85-B89 B90-B94 B95-B98 B99-B99 C00-C14 C15-C26 C30-C39
C40-C41 C43-C44 C45-C49 C50-C50 C51-C58 C60-C63 C64-C68 C69-C72 C73-C75 C76-C80 C81-C96 C97-C97
D00-D09 D10-D36 D37-D48 D50-D53 D55-D59 D60-D64 D65-D69 D70-D77 D80-D89 E00-E07 E10-E14 E15-E16
E20-E35 E40-E46 E50-E64 E65-E68 E70-E90 F00-F09 F10-F19 F20-F29 F30-F39 F40-F48 F50-F59 F60-F69
F70-F79 F80-F89 F90-F98 F99-F99 G00-G09 G10-G14 G20-G26 G30-G32 G35-G37 G40-G47 G50-G59 G60-G64
G70-G73 G80-G83 G90-G99 H00-H06 H10-H13 H15-H22 H25-H28 H30-H36 H40-H42 H43-H45 H46-H48 H49-H52
H53-H54 H55-H59 H60-H62 H65-H75 H80-H83 H90-H95 I00-I02 I05-I09 I10-I15 I20-I25 I26-I28 I30-I52
I60-I69 I70-I79 I80-I89 I95-I99 J00-J06 J09-J18 J20-J22 J30-J39 J40-J47 J60-J70 J80-J84 J85-J86
J90-J94 J95-J99 K00-K14 K20-K31 K35-K38 K40-K46 K50-K52 K55-K64 K65-K67 K70-K77 K80-K87 K90-K93
L00-L08 L10-L14 L20-L30 L40-L45 L50-L54 L55-L59 L60-L75 L80-L99 M00-M25 M30-M36 M40-M54 M60-M79
M80-M94 M95-M99 N00-N08 N10-N16 N17-N19 N20-N23 N25-N29 N30-N39 N40-N51 N60-N64 N70-N77 N80-N98
N99-N99 O00-O08 O10-O16 O20-O29 O30-O48 O60-O75 O80-O84 O85-O92 O94-O99 P00-P04 P05-P08 P10-P15
P20-P29 P35-P39 P50-P61 P70-P74 P75-P78 P80-P83 P90-P96 Q00-Q07 Q10-Q18 Q20-Q28 Q30-Q34 Q35-Q37
Q38-Q45 Q50-Q56 Q60-Q64 Q65-Q79 Q80-Q89 Q90-Q99 R00-R09 R10-R19 R20-R23 R25-R29 R30-R39 R40-R46
R47-R49 R50-R69 R70-R79 R80-R82 R83-R89 R90-R94 R95-R99 S00-S09 S10-S19 S20-S29 S30-S39 S40-S49
S50-S59 S60-S69 S70-S79 S80-S89 S90-S99 T00-T07 T08-T14 T15-T19 T20-T32 T33-T35 T36-T50 T51-T65
T66-T78 T79-T79 T80-T88 T90-T98 V01-X59 X60-X84 X85-Y09 Y10-Y34 Y35-Y36 Y40-Y84 Y85-Y89 Y90-Y98
Z00-Z13 Z20-Z29 Z30-Z39 Z40-Z54 Z55-Z65 Z70-Z76 Z80-Z99 U00-U49 U82-U85"""
_ICD = re.compile(r"([A-Z]\d[0-9AB])(?:\.?[0-9A-Z]{1,4})?[+*!]?")


def icd10_path(value: str) -> tuple[str, str, str] | None:
    """Return the category, the block and the chapter of a diagnosis, as the WHO has them.

    A category outside every block, as some national versions have them, is a block of its own.

    >>> icd10_path("E11.9")
    ('E11.-', 'E10-E14', 'E00-E90 endocrine, nutritional and metabolic diseases')
    >>> icd10_path("11.9")
    """
    match = _ICD.fullmatch(value.upper())
    if match is None:
        return None
    category, within = match[1], f"{match[1]}.-"
    chapter = max(one for one in _LISTED if one[0] <= category)[1]
    block = next((one for one in _BLOCKS.split() if one[:3] <= category <= one[4:]), within)
    return within, within if block[:3] == block[4:] else block, chapter


# A chapter goes on until the next begins, since national versions have more codes at its end; V00 is one.
_LISTED = tuple(
    (name[:3].replace("V01", "V00"), name)
    for name in (" ".join(one.split()) for one in _CHAPTERS.split(";"))
)

_MAJOR = """0 armed forces occupations; 1 managers; 2 professionals; 3 technicians and associate
professionals; 4 clerical support workers; 5 service and sales workers; 6 skilled agricultural,
forestry and fishery workers; 7 craft and related trades workers; 8 plant and machine operators,
and assemblers; 9 elementary occupations"""
_MAJORS = {one.split()[0]: " ".join(one.split()) for one in _MAJOR.split(";")}


def isco_path(value: str) -> tuple[str, str, str] | None:
    """Return the minor, sub-major and major group of an occupation's code of one to four digits.

    >>> isco_path("2310")
    ('231*', '23**', '2 professionals')
    """
    if not re.fullmatch(r"\d{1,4}", value):
        return None
    # The stars keep a group apart from a code that is as short as its label.
    return f"{value[:3]}*", f"{value[:2]}**", _MAJORS[value[0]]


_SECTIONS = """01-03 A agriculture, forestry and fishing; 05-09 B mining and quarrying; 10-33 C manufacturing;
35-35 D electricity, gas and steam; 36-39 E water supply, sewerage and waste; 41-43 F
construction; 45-47 G wholesale and retail trade; 49-53 H transportation and storage; 55-56 I
accommodation and food service; 58-63 J information and communication; 64-66 K finance and
insurance; 68-68 L real estate; 69-75 M professional, scientific and technical; 77-82 N
administrative and support service; 84-84 O public administration and defence; 85-85 P education;
86-88 Q health and social work; 90-93 R arts, entertainment and recreation; 94-96 S other service;
97-98 T households as employers; 99-99 U extraterritorial organisations"""
_PARTS = tuple(" ".join(one.split()) for one in _SECTIONS.split(";"))
_NACE = re.compile(r"([A-U])?\s*(\d{2})(?:\.?(\d)(\d)?)?")


def nace_path(value: str) -> tuple[str, str, str] | None:
    """Return the group, division and section of an industry's code, such as 01.11, A01.1 or C.

    >>> nace_path("10.11"), nace_path("C1011")
    (('10.1*', '10*', 'C manufacturing'), ('10.1*', '10*', 'C manufacturing'))
    """
    plain = value.upper()
    if re.fullmatch("[A-U]", plain):
        section = next(one[6:] for one in _PARTS if one[6] == plain)
        return section, section, section
    match = _NACE.fullmatch(plain)
    if match is None:
        return None
    division = match[2]
    found = next((one[6:] for one in _PARTS if one[:2] <= division <= one[3:5]), None)
    if found is None or (match[1] and match[1] != found[0]):
        return None
    group = f"{division}.{match[3]}*" if match[3] else f"{division}*"
    return group, f"{division}*", found


_LEVELS = ("low (ISCED 0-2)",) * 3 + ("medium (ISCED 3-4)",) * 2 + ("high (ISCED 5-8)",) * 4


def isced_path(value: str) -> tuple[str] | None:
    """Return whether a level of education is low (0-2), medium (3-4) or high (5-8), as Eurostat has them.

    >>> isced_path("3"), isced_path("ISCED 6")
    (('medium (ISCED 3-4)',), ('high (ISCED 5-8)',))
    """
    match = re.fullmatch(r"(?:isced\s*)?([0-8])(?:\.0)?", value, re.IGNORECASE)
    if match is None:
        return None
    return (_LEVELS[int(match[1])],)
