"""How long a text behind a coded picture must be so that a render does not copy it, and so that the audit finds it.

    .venv/bin/python benchmarks/text_behind_pictures.py [--texts 200] [--seed 1]

Texts as recorders and people write them, of every length from 4 to 60 letters, are put at the end of slices that are drawn by chance, and
into their middle, in one code each. What is printed is the number of letters from which on 95 of 100 are found, whatever their length; "-"
where 60 are too few. Nothing of this is about pictures: a slice is bytes that look like drawn by chance, as those of CABAC do.
"""

from __future__ import annotations

import argparse
import random
import re
from collections.abc import Callable

from scrubin.audit.containers import slice_bytes
from scrubin.media.containers import foreign_bytes

LENGTHS = range(4, 61, 2)
FOUND_SHARE = 0.95
FIELD_BYTES = 16
FIELDS = f"fields of {FIELD_BYTES} bytes"
PLACES = ("end", "elsewhere")
PEOPLE = {
    "English": (
        "John Sarah Michael Emily Thomas Ottilie Wolfgang Linda",
        "Smith Johnson Quast Schneider Hoffmann Wilson Zimmermann Kruger",
    ),
    "German": ("Jürgen Käthe Günther Ottilie Sören Jörg Anna Friedrich", "Müller Weiß Schäfer Krüger Größmann Böhm Quast Hoffmann"),
    "French": ("Hélène François José Zoë Núria René Jérôme Mónica", "García Lefèvre Fernández Núñez Muñoz Béranger Gómez Côté"),
    "Russian": ("Иван Ольга Пётр Анна Юрий Елена Дмитрий Татьяна", "Цветков Иванова Смирнов Кузнецов Попова Соколов Ким Новиков"),
    "Kazakh": (
        "Нұрсұлтан Айгүл Өмірбек Гүлнәр Әсел Қанат Жәнібек Ұлпан",
        "Әбішұлы Қасымқызы Жәнібекұлы Тоқаев Мұқанов Сәрсенов Бөкей Іргебай",
    ),
    "Persian": ("گیتی پریسا محمدرضا کیومرث چنگیز ژاله کیکاووس مریم", "پژمان کریمی کیانی یگانه چگینی پورکریمی رضایی زند"),
    "Korean": ("철수 영희 민준 서연 지훈 예은 도윤 하윤", "김 이 박 최 정 강 조 윤"),
}
CHINESE = ("王李张刘陈杨赵黄周吴", "小明雷梅华丽伟芳娜强军杰娟涛超勇艳静敏")


def date(chance: random.Random, gap: str = ".") -> str:
    """Return a day of birth."""
    return f"{chance.randrange(1, 29):02}{gap}{chance.randrange(1, 13):02}{gap}{chance.randrange(1930, 2010)}"


def names(people: str) -> Callable[[random.Random], str]:
    """Return what writes names, and behind some of them a date."""
    first, last = (words.split() for words in PEOPLE[people])
    return lambda chance: f"{chance.choice(last)} {chance.choice(first)}{chance.choice(('', '', ', ' + date(chance)))}"


def chinese(chance: random.Random) -> str:
    """Return a record with full-width signs and digits of ASCII."""
    name = chance.choice(CHINESE[0]) + "".join(chance.sample(CHINESE[1], 2))
    return f"姓名：{name}，{chance.choice('男女')}，{chance.randrange(20, 90)}岁，住院号：{chance.randrange(10**6, 10**7)}，"


def tags(chance: random.Random) -> str:
    """Return attributes and elements with short values."""
    name = names("English")(chance).partition(" ")[0]
    return f'<pid>{chance.randrange(10**4)}</pid><n v="{name}" dob="{date(chance, "-")}"/>'


def times(chance: random.Random) -> str:
    """Return a moment as computers write it."""
    day = f"20{chance.randrange(10, 26)}-{chance.randrange(1, 13):02}-{chance.randrange(1, 29):02}"
    return f"{day}T{chance.randrange(24):02}:{chance.randrange(60):02}:{chance.randrange(60):02}Z"


def rows(chance: random.Random) -> str:
    """Return cells of a table."""
    return f"{chance.randrange(10**4)};{names('English')(chance).replace(' ', ';')};{chance.choice('MF')};{date(chance)}"


KINDS: dict[str, tuple[Callable[[random.Random], str], tuple[str, ...]]] = {
    "names, some with a date": (names("English"), ("ascii", "utf-16-le", "utf-32-le", FIELDS)),
    "NAMES": (lambda chance: names("English")(chance).upper(), ("ascii",)),
    "rows of a table": (rows, ("ascii",)),
    "moments": (times, ("ascii",)),
    "tags": (tags, ("ascii",)),
    "German names": (names("German"), ("cp1252", "utf-8")),
    "French and Spanish names": (names("French"), ("cp1252", "utf-8", "utf-16-le")),
    "Russian names": (names("Russian"), ("cp1251", "utf-8", "utf-16-le")),
    "Kazakh names": (names("Kazakh"), ("utf-8", "utf-16-le")),
    "Persian names": (names("Persian"), ("utf-8", "utf-16-le")),
    "Chinese records": (chinese, ("utf-8", "utf-16-le")),
    "Korean names": (names("Korean"), ("utf-8", "utf-16-le")),
}


def coded(text: str, code: str) -> bytes:
    """Return a text as it stands in a slice (H.264, 7.4.1)."""
    words = (word.encode().ljust(FIELD_BYTES, b"\0") for word in text.split())
    plain = b"".join(words) if code == FIELDS else text.encode(code)
    return re.sub(rb"\0\0(?=[\0-\3])", b"\0\0\3", plain) + b"\x80"


def found(chance: random.Random, text: bytes, place: str) -> tuple[bool, bool]:
    """Return whether a render and the audit find a text in a slice that is drawn by chance."""
    slice_ = b"\x65\x88" + chance.randbytes(chance.randrange(2000, 4000)).replace(b"\0\0", b"\0\4")
    cut = len(slice_) if place == "end" else 1000
    unit = slice_[:cut] + text + slice_[cut:]
    return bool(foreign_bytes.foreign(unit)), any(True for _ in slice_bytes.faults(unit))


def enough(shares: dict[int, float]) -> str:
    """Return the length from which on the share is reached at every length."""
    short = [length for length, share in shares.items() if share < FOUND_SHARE]
    longer = [length for length in shares if length > max(short, default=0)]
    return str(min(longer)) if longer else "-"


def main() -> None:
    """Print a row for each kind of text and code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--texts", type=int, default=200, help="of each length, kind, code and place")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    print(f"{'text':26}{'code':20}" + "".join(f"{who + ', ' + place:>20}" for who in ("render", "audit") for place in PLACES))
    for kind, (write, codes) in KINDS.items():
        for code in codes:
            shares: dict[tuple[str, int], dict[int, float]] = {}
            for place in PLACES:
                for length in LENGTHS:
                    texts = ["".join(f"{write(chance)} " for _ in range(length // 8 + 1))[:length] for _ in range(options.texts)]
                    both = [found(chance, coded(text, code), place) for text in texts]
                    for who in (0, 1):
                        shares.setdefault((place, who), {})[length] = sum(one[who] for one in both) / len(both)
            print(f"{kind:26}{code:20}" + "".join(f"{enough(shares[place, who]):>20}" for who in (0, 1) for place in PLACES), flush=True)


if __name__ == "__main__":
    main()
