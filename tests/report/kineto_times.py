# SPDX-License-Identifier: MIT
"""Times of Kineto traces as the readers of the tests want them, with no code of the
project: whole ns of a text, and unions of intervals."""
import gzip
import json


def ns(text):
    whole, _, rest = str(text).partition(".")
    return 1000 * int(whole) + int(rest.ljust(3, "0")[:3])


def events_read(path):
    """The complete events of a packed trace, their numbers as texts."""
    with gzip.open(path, "rt", encoding="utf-8", errors="replace") as text:
        return [e for e in json.load(text, parse_float=str)["traceEvents"]
                if e.get("ph") == "X"]


def union(spans):
    merged = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([begin, end])
    return merged


def length(spans):
    return sum(end - begin for begin, end in union(spans))
