#!/usr/bin/env python3
"""Which switch takes which file of a table set, or of an update of it, as CSV.

    inventory.py TABLES             what each switch boots from, or is replaced with
    inventory.py TABLES UPDATE      what each switch takes with an update

Each row is a file for one switch, or for every switch where `switch` is `all`. Files are read, and what has not
the length, the SHA-256 and the CRC-32 that it should have is an error. Sign manifest.json and check the signature
first: it vouches for all other files. Exit codes: 0 done, 2 an error.
"""

import csv
import hashlib
import json
import re
import sys
import zlib
from pathlib import Path

COLUMNS = ["group", "switch", "name", "file", "bytes", "sha256", "crc32"]
# What switches take; the record, the lists and the report are for people.
IMAGE = re.compile(r"(?:fabric|faults|switches/(\d{5,}))\.tvlb")


class Wrong(Exception):
    """What is wrong with a file, after its path."""


def record_of(path):
    try:
        with open(path, encoding="utf-8") as file:
            return json.load(file)
    except (OSError, ValueError) as error:
        raise Wrong(f"{path}: cannot read it: {error}") from error


def row(directory, entry, switches_of_group):
    """The row of a listed file, which is as it is listed; None if no switch takes it."""
    image = IMAGE.fullmatch(entry["path"])
    if image is None:
        return None
    path = Path(directory) / entry["path"]
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Wrong(f"{path}: cannot read it: {error}") from error
    if len(content) != entry["bytes"] or hashlib.sha256(content).hexdigest() != entry["sha256"]:
        raise Wrong(f"{path}: its bytes are not those that are listed")
    crc, stored = zlib.crc32(content[:-4]), int.from_bytes(content[-4:], "little")
    if crc != stored:
        raise Wrong(f"{path}: its CRC-32 is {crc:08x}, but it ends in {stored:08x}")
    name = entry.get("switch", "")
    if not name.isprintable():
        raise Wrong(f"{path}: the name of its switch is {name!r}, accepted printable characters")
    number = "all" if image[1] is None else int(image[1])
    group = "all" if image[1] is None else number // switches_of_group
    return [group, number, name, path.as_posix(), len(content), entry["sha256"], f"{crc:08x}"]


def inventory(tables, update=None):
    manifest = record_of(Path(tables) / "manifest.json")
    taken = [(tables, entry) for entry in manifest["files"]]
    if update is not None:
        record = record_of(Path(update) / "update.json")
        found = hashlib.sha256((Path(tables) / "manifest.json").read_bytes()).hexdigest()
        if record["manifest-sha256"] != found:
            raise Wrong(f"{update}: it is an update of other tables than {tables}")
        # Those of the table set are taken again by switches that had others by the update before.
        taken = [(update, entry) for entry in record["files"]]
        taken += [(tables, entry) for entry in record.get("restored-files", [])]
    rows = (row(directory, entry, manifest["fabric"]["a"]) for directory, entry in taken)
    return [found for found in rows if found is not None]


def main():
    if not 2 <= len(sys.argv) <= 3 or sys.argv[1].startswith("-"):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    try:
        rows = inventory(*sys.argv[1:])
    except KeyError as error:
        print(f"inventory: a record has no {error}; accepted those that tvlb writes", file=sys.stderr)
        return 2
    except Wrong as error:
        print(f"inventory: {error}", file=sys.stderr)
        return 2
    out = csv.writer(sys.stdout, lineterminator="\n")
    out.writerows([COLUMNS, *rows])
    return 0


if __name__ == "__main__":
    sys.exit(main())
