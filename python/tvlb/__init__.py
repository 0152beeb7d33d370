"""Dragonfly networks in notebooks: functions that run the installed programs `tvlb` and `tvlb-lab`.

Every function runs one command and returns its result as a dictionary or as a pandas data frame, with the names that
the command's JSON and CSV have. Keyword arguments are the command's options: `warm_up=1` is `--warm-up=1`,
`conventional=True` is `--conventional`, `from_=0` is `--from=0`, and a list gives an option once for each value.
`tvlb COMMAND --help` lists the options. A command that fails raises `TvlbError`.
"""

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tvlb import _commands
from tvlb._commands import Option, StrPath, TvlbError, run, run_csv, run_json

if TYPE_CHECKING:
    import pandas

__all__ = ["Fabric", "TvlbError", "diff", "fabric", "generate", "inspect", "load", "model", "paths", "run", "run_csv"]
__all__ += ["run_json", "simulate", "sweep", "verify"]


@dataclass(frozen=True)
class Fabric:
    """A fabric file, and its wiring as `tvlb topology --json` prints it. Functions accept it in place of the path."""

    path: Path
    wiring: Mapping[str, Any]

    def __fspath__(self) -> str:
        return str(self.path)


_SIZES = re.compile(r"dfly\(\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*,\s*(\d+)\s*\)(?:\s*(\w[\w-]*))?")


def fabric(source: StrPath | Mapping[str, Any], path: StrPath | None = None) -> Fabric:
    """Load a fabric file, or write one and load it.

    `source` is the path of a fabric file; or sizes, as in `"dfly(2,4,2,9)"`, with an arrangement after them if wanted;
    or a dictionary with the keys of a fabric file (docs/reference/fabric-file.md), such as
    `{"name": "lab", "dragonfly": {"p": 2, "a": 4, "h": 2, "g": 9}}`. The last two are written to `path`, by default the
    name of the fabric with `.toml` after it. Raises `FileExistsError` if that file has other contents already.
    """
    keys = source if isinstance(source, Mapping) else None
    if isinstance(source, str) and (sizes := _SIZES.fullmatch(source)):
        *numbers, arrangement = sizes.groups()
        dragonfly: dict[str, Any] = dict(zip("pahg", map(int, numbers), strict=True))
        if arrangement:
            dragonfly["arrangement"] = arrangement
        keys = {"name": "-".join(["dfly", *filter(None, sizes.groups())]), "dragonfly": dragonfly}
    if keys is None:
        return Fabric(Path(os.fspath(source)), run_json("tvlb", "topology", source))  # type: ignore[arg-type]
    file = Path(path or f"{keys['name']}.toml")
    text = _commands.to_toml(keys)
    if file.exists() and file.read_text(encoding="utf-8") != text:
        raise FileExistsError(f"{file}: has other contents; accepted is a file that does not exist or has the same")
    file.write_text(text, encoding="utf-8")
    try:
        return Fabric(file, run_json("tvlb", "topology", file))
    except TvlbError:
        file.unlink()
        raise


def generate(fabric: StrPath, output: StrPath, **options: Option) -> dict[str, Any]:
    """Make the table set of a fabric in the directory `output`, as `tvlb generate` does, and return its manifest.

    `set` names the set of VLB paths; without it `generate` chooses one for each decision of a switch, which simulates
    at length unless `fast=True`. `replace=True` replaces a table set that is in `output` already.
    """
    return run_json("tvlb", "generate", fabric, output=output, **options)


def simulate(
    tables: StrPath,
    *,
    scheme: str | None = None,
    traffic: str | None = None,
    load: float | str | Iterable[float | str] | None = None,
    seeds: int | Iterable[int] | None = None,
    **options: Option,
) -> "pandas.DataFrame":
    """Simulate the network that boots from a table set, as `tvlb simulate` does.

    The frame has a row for each load and seed, and one for each population of nodes if the traffic has several.
    `load` is in flits per node and cycle: numbers, or ranges such as `"0.05:0.5:0.05"`. Latencies are in cycles.
    `saturation=True` searches for the load at which the network saturates, and returns a row for each seed.
    docs/reference/simulate.md describes the columns.
    """
    return run_csv("tvlb", "simulate", tables, scheme=scheme, traffic=traffic, load=load, seeds=seeds, **options)


def sweep(study: StrPath | Mapping[str, Any], output: StrPath, **options: Option) -> "dict[str, pandas.DataFrame]":
    """Make the runs of a study that the directory `output` does not keep yet, as `tvlb-lab sweep` does.

    `study` is the path of a study file, or a dictionary with its keys (docs/reference/sweep.md); the paths in a
    dictionary begin in the working directory. Returns all tables in `output`, by their names: "runs" and "summary" of
    a study of loads, "saturation" and "saturation-summary" of searches, "figures" of all else. The tables of a study
    called NAME, one of several in a file, are "NAME/runs" and so on.
    """
    file, stdin = ("-", _commands.to_toml(study)) if isinstance(study, Mapping) else (study, "")
    _commands.execute("tvlb-lab", _commands.words("sweep", [file], {"output": output, **options}), stdin)
    tables = sorted([*Path(output).glob("*.csv"), *Path(output).glob("*/*.csv")])
    return {table.relative_to(output).with_suffix("").as_posix(): _commands.read_csv(table) for table in tables}


def paths(fabric: StrPath, source: int | str, destination: int | str, **options: Option) -> dict[str, Any]:
    """Count the paths from one switch to another, as `tvlb paths` does.

    A switch is its number, `"(GROUP,SWITCH)"` or its name. With `set`, the dictionary has the paths of that set:
    `pandas.DataFrame(paths(...)["vlb"])` has a row for each, with the probability with which it is drawn.
    """
    return run_json("tvlb", "paths", fabric, from_=source, to=destination, **options)


def load(source: StrPath, **options: Option) -> dict[str, Any]:
    """Count what each link of a fabric or of a table set carries under a traffic pattern, as `tvlb load` does."""
    return run_json("tvlb", "load", source, **options)


def model(fabric: StrPath, **options: Option) -> dict[str, Any]:
    """Bound what sets of paths could carry at best, as `tvlb model` does.

    `pandas.DataFrame(model(...)["sets"])` has a row for each set. Throughputs are in flits per node and cycle.
    """
    return run_json("tvlb", "model", fabric, **options)


def inspect(tables: StrPath, **options: Option) -> dict[str, Any]:
    """Say what the images of a table set mean, as `tvlb inspect` does.

    Without options this is the manifest; `switch` asks for one switch, and `from_` and `to` for the paths of a pair.
    """
    return run_json("tvlb", "inspect", tables, **options)


def verify(tables: StrPath, **options: Option) -> dict[str, Any]:
    """Check a table set, as `tvlb verify` does. If `"verified"` is false, `"finding"` says what is wrong."""
    return run_json("tvlb", "verify", tables, **options)


def diff(old: StrPath, new: StrPath, **options: Option) -> dict[str, Any]:
    """Compare two table sets, as `tvlb diff` does."""
    return run_json("tvlb", "diff", old, new, **options)
