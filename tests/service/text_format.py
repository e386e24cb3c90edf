"""A small reader of Prometheus' text format 0.0.4 that accepts nothing else."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_NAME = "[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
_SAMPLE = re.compile(rf"({_NAME})(?:\{{({_LABEL}(?:,{_LABEL})*)\}})? (\S+)")
_HELP = re.compile(rf"# HELP ({_NAME}) ([^\n]+)")
_TYPE = re.compile(rf"# TYPE ({_NAME}) (counter|gauge|histogram)")
_ESCAPES = {"\\\\": "\\", '\\"': '"', "\\n": "\n"}
_SUFFIXES = ("_bucket", "_sum", "_count")

Labels = frozenset[tuple[str, str]]


@dataclass
class Metrics:
    """Types and helps by metric, and values by sample name and labels."""

    types: dict[str, str] = field(default_factory=dict)
    helps: dict[str, str] = field(default_factory=dict)
    samples: dict[tuple[str, Labels], float] = field(default_factory=dict)

    def value(self, sample: str, /, **labels: str) -> float:
        """One sample's value; KeyError where there is none."""
        return self.samples[sample, frozenset(labels.items())]


def parsed(text: str) -> Metrics:
    """The metrics of a text; raises ValueError for a line that the format does not have, a double one, or no type."""
    found = Metrics()
    if text and not text.endswith("\n"):
        raise ValueError("the last line does not end")
    for line in text.splitlines():
        if match := _HELP.fullmatch(line):
            _once(found.helps, match[1], match[2], line)
        elif match := _TYPE.fullmatch(line):
            _once(found.types, match[1], match[2], line)
        elif match := _SAMPLE.fullmatch(line):
            _sample(found, match)
        else:
            raise ValueError(f"no line of the format: {line!r}")
    return found


def _sample(found: Metrics, match: re.Match[str]) -> None:
    name = match[1]
    family = name
    for suffix in _SUFFIXES:
        if found.types.get(name.removesuffix(suffix)) == "histogram":
            family = name.removesuffix(suffix)
    if family not in found.types or family not in found.helps:
        raise ValueError(f"{name} stands before its TYPE and HELP")
    labels = {label: _unescaped(said) for label, said in re.findall(_LABEL, match[2] or "")}
    key = (name, frozenset(labels.items()))
    if key in found.samples:
        raise ValueError(f"{match[0]!r} stands twice")
    found.samples[key] = float(match[match.lastindex or 0])


def _once(where: dict[str, str], name: str, value: str, line: str) -> None:
    if name in where:
        raise ValueError(f"{line!r} stands twice")
    where[name] = value


def _unescaped(said: str) -> str:
    return re.sub(r"\\.", lambda match: _ESCAPES[match[0]], said)
