"""A voice that says a name: vowels as formants over a buzzing source, consonants as noise.

No voice of a person is used. What matters to the key is when somebody speaks, and that it is heard.
Formant frequencies: Peterson and Barney 1952, table II, men, rounded.
"""

from __future__ import annotations

import math
import unicodedata
import wave
from collections.abc import Iterable, Mapping
from fractions import Fraction
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from scrubin.base.files import whole

RATE_HZ = 16_000
LETTER_S = 0.09
PITCH_HZ = 118
HUM_HZ, HUM_LEVEL = 50, 0.004
LEVEL = 0.3
FORMANTS_HZ: Mapping[str, tuple[int, int, int]] = {
    "a": (730, 1090, 2440),
    "e": (530, 1840, 2480),
    "i": (270, 2290, 3010),
    "o": (570, 840, 2410),
    "u": (300, 870, 2240),
    "y": (300, 1700, 2300),
}
VOICED = {"b": 400, "d": 1700, "g": 1200, "j": 2000, "l": 1100, "m": 250, "n": 300, "r": 1300, "v": 600, "w": 500}
HISS_HZ = {"s": 6000, "z": 5200, "f": 4200, "c": 5000, "x": 3800, "h": 1500, "t": 3500, "k": 2200, "p": 900, "q": 2000}
DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
BANDWIDTH_HZ = 90

Samples = NDArray[np.float64]


def write_sound(path: Path, length_s: Fraction, utterances: Iterable[tuple[Fraction, str]], rng: np.random.Generator) -> list[float]:
    """Write a WAV file of a humming room in which somebody speaks at times; return the end of each utterance in s."""
    total = int(length_s * RATE_HZ)
    sound = HUM_LEVEL * np.sin(2 * np.pi * HUM_HZ * np.arange(total) / RATE_HZ)
    ends = []
    for start_s, text in utterances:
        voice = spoken(text, rng)
        start = int(start_s * RATE_HZ)
        voice = voice[: max(total - start, 0)]
        sound[start : start + len(voice)] += voice
        ends.append((start + len(voice)) / RATE_HZ)
    with whole(path) as part, wave.open(str(part), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(RATE_HZ)
        file.writeframes((np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes())
    return ends


def spoken(text: str, rng: np.random.Generator) -> Samples:
    """Return a text letter by letter as sound between -1 and 1."""
    parts = [_letter(letter, rng) for letter in _letters(text)]
    sound = np.concatenate(parts) if parts else np.zeros(0)
    loudest = float(np.abs(sound).max(initial=0.0))
    return sound * LEVEL / loudest if loudest else sound


def _letters(text: str) -> str:
    named = "".join(f" {DIGITS[int(letter)]} " if letter.isascii() and letter.isdigit() else letter for letter in text)
    return "".join(letter for letter in unicodedata.normalize("NFKD", named.lower()) if letter.isascii())


def _letter(letter: str, rng: np.random.Generator) -> Samples:
    count = int(LETTER_S * RATE_HZ)
    time_s = np.arange(count) / RATE_HZ
    fade = np.minimum(1.0, np.minimum(np.arange(count), np.arange(count)[::-1]) / (0.15 * count))
    if letter in FORMANTS_HZ:
        return fade * _voice(time_s, FORMANTS_HZ[letter])
    if letter in VOICED:
        return 0.5 * fade * _voice(time_s, (VOICED[letter],))
    if letter in HISS_HZ:
        noise = rng.integers(-1000, 1001, count) / 1000
        return 0.4 * fade * noise * np.cos(2 * np.pi * HISS_HZ[letter] * time_s)
    return np.zeros(count // 2)


def _voice(time_s: Samples, formants_hz: tuple[int, ...]) -> Samples:
    """Return the harmonics of a pitch, each as loud as its nearest formants make it."""
    sound = np.zeros(len(time_s))
    for harmonic in range(PITCH_HZ, RATE_HZ // 2, PITCH_HZ):
        gain = math.fsum(1 / (1 + ((harmonic - formant) / BANDWIDTH_HZ) ** 2) for formant in formants_hz)
        sound += gain * np.sin(2 * np.pi * harmonic * time_s)
    return sound
