"""First names and surnames, the most common first."""

from __future__ import annotations


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


FEMALE_NAMES = _words(
    """
    Anna Maria Emma Laura Sofia Julia Sarah Lena Clara Nora Eva Helen Alice Lucy Ella Ida
    Mia Hannah Marta Elena Irene Rosa Grace Ruth Karin Lisa Johanna Paula Vera Olivia Agnes
    Amina Zoë Fatima Leila Ingrid Teresa Carmen Monica Judith Edith Greta Astrid Yara Nadia
    Priya Mei Yuki Aisha Olga Tamara Wanda Bridget Maeve Celia Flora Hilda Ottilie Renée
    Saskia Thea Ursula Viola Xenia Zelda Beatrix
    """
)

MALE_NAMES = _words(
    """
    Thomas Peter Paul Daniel David Martin Michael Max Leo Jonas Felix Simon Robert Adam Henry
    Oscar Anton Jan Lukas Erik Jakob Samuel Victor Hugo Ben Noah George Arthur Edward Frank
    Walter Karl Otto Emil Theo Ali Omar Yusuf Hassan Ivan Marek Pavel Stefan Luca Marco
    Diego José Rafael Bruno Ravi Arjun Wei Kenji Kofi Tariq Gustav Rolf Sven Magnus Niels
    Quentin Rupert Silas Tobias Urban Zeno
    """
)

SURNAMES = _words(
    """
    Weber Becker Smith Fischer Jones Wagner Hill Novak Martin Keller Brown Huber Baker Berger
    Taylor Vogel Wood Müller Clark Frank Walker Winter Cooper Lang Green Roth Turner Moser Hall
    Graf Carter Brandt Young Peters King Jansen Wright Bauer Scott Koch Adams Richter Nelson
    Wolf Hughes Schuster Morgan Garcia Foster Lopez Marsh Rossi Barnes Silva Cole Costa Reed
    Santos Gray Moreau Stone Dubois Fox Laurent West Petit Field Leroy Rivers Ferrari Brook
    Romano Park Bianchi Lane Conti Ford Ricci Bridge Marino Ahmed Khan Hassan Yilmaz Demir Kaya
    Aydin Patel Singh Sharma Gupta Nguyen Tran Chen Wang Liu Tanaka Sato Suzuki Kim Choi Mensah
    Okafor Diallo Traoré Kowalski Nowak Wójcik Horvat Kovács Nagy Popescu Ionescu Petrov
    Ivanova Sokolov Dvorak Svoboda Larsen Hansen Nilsson Lindberg Holm Dahl Berg Strand Virtanen
    Korhonen Jansson Vries Visser Bakker Smit Maas Peeters Claes Wouters Ashdown Birchall
    Coldwell Dunmore Everly Fairbank Glenister Hawksley Inglewood Jessop Kettering Larkspur
    Merriden Netherby Oakhurst Pemberley Quillford Ravensby Silverton Thistlewood Underhill
    Vantress Wetherby Yarrowdale
    """
)


def name_weights(count: int) -> list[float]:
    """How common each name of a list of `count` is: a long tail behind a few favourites.

    >>> common = name_weights(100)
    >>> common[0] > 8 * common[99]
    True
    """
    return [1.0 / (place + 4.0) ** 0.9 for place in range(count)]
