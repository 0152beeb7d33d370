"""Runs the installed programs, and reads what they print."""

import importlib.metadata
import io
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    import pandas

Program = Literal["tvlb", "tvlb-lab"]
StrPath = str | os.PathLike[str]
Value = StrPath | float | bool | None
Option = Value | Iterable[Value]


class TvlbError(RuntimeError):
    """A command ended with an error.

    `str()` of it is the command's own message, `exit_code` is 1 if the command found something (such as missing runs)
    and 2 if the command line, the input or the output is wrong, and `command` is the command line.
    """

    def __init__(self, command: list[str], exit_code: int, message: str) -> None:
        super().__init__(message)
        self.command, self.exit_code = command, exit_code


def program_path(program: Program) -> str:
    """Where the program is that was installed together with this package."""
    for file in importlib.metadata.files("tvlb") or ():
        if file.stem == program:
            return os.path.realpath(file.locate())
    raise FileNotFoundError(f"the installed package tvlb has no program {program}; accepted is what pip installs")


def words(command: str, arguments: Iterable[StrPath], options: Mapping[str, Option]) -> list[str]:
    """Write a command, its arguments and its options as the words of a command line."""
    line = [command, *(os.fspath(argument) for argument in arguments)]
    for name, given in options.items():
        option = "--" + name.rstrip("_").replace("_", "-")
        values = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
        for value in values:
            if value is True:
                line.append(option)
            elif value is not None and value is not False:
                line.append(f"{option}={os.fspath(value) if isinstance(value, os.PathLike) else value}")
    return line


def execute(program: Program, line: list[str], stdin: str = "", finding: bool = False) -> str:
    """Run a program, and return what it prints; with `finding` also if it ends with 1 and prints what it found."""
    command = [program_path(program), *line]
    done = subprocess.run(command, input=stdin, capture_output=True, encoding="utf-8", check=False)
    if done.returncode != 0 and not (finding and done.returncode == 1 and done.stdout):
        message = done.stderr.strip() or f"{program}: ended by signal {-done.returncode}"
        raise TvlbError(command, done.returncode, message)
    sys.stderr.write(done.stderr)
    return done.stdout


def run(program: Program, command: str, /, *arguments: StrPath, **options: Option) -> str:
    """Run any command of a program, and return what it prints.

    `run("tvlb", "paths", "lab.toml", from_=0, to=8, list=True)` is `tvlb paths lab.toml --from=0 --to=8 --list`. In the
    name of an option an underscore stands for a hyphen, and one at its end is left out. `True` gives an option without
    a value, `None` and `False` leave it out, and a list gives it once for each value. What a successful command prints
    on its standard error, such as a warning, appears on that of Python.
    """
    return execute(program, words(command, arguments, options))


def run_json(program: Program, command: str, /, *arguments: StrPath, **options: Option) -> dict[str, Any]:
    """Run any command that has the option `--json`, and return the dictionary that it prints.

    A command that ends with exit code 1 and prints what it found, such as a difference, is no error here.
    """
    printed: dict[str, Any] = json.loads(
        execute(program, words(command, arguments, {**options, "json": True}), finding=True)
    )
    return printed


def run_csv(program: Program, command: str, /, *arguments: StrPath, **options: Option) -> "pandas.DataFrame":
    """Run any command that has the option `--format csv`, and return the table that it prints."""
    return read_csv(io.StringIO(run(program, command, *arguments, **{**options, "format": "csv"})))


def read_csv(source: "StrPath | io.StringIO") -> "pandas.DataFrame":
    """Read a table that a command wrote. Only empty cells are missing values: a fabric may be called `NA`."""
    import pandas  # Takes longer to import than most commands to run.

    return pandas.read_csv(source, keep_default_na=False, na_values=[""])


def to_toml(keys: Mapping[str, Any]) -> str:
    """Write a dictionary as TOML, with tables as inline tables."""
    return "".join(f"{_toml(name)} = {_toml(value)}\n" for name, value in keys.items())


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{_toml(name)} = {_toml(each)}" for name, each in value.items()) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_toml, value)) + "]"
    # Strings, numbers and truth values of JSON are those of TOML.
    return json.dumps(value, ensure_ascii=False)
