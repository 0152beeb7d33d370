"""The version of the Python package, which is that of the Cargo workspace."""

import tomllib
from pathlib import Path

version: str = tomllib.loads(Path("Cargo.toml").read_text(encoding="utf-8"))["workspace"]["package"]["version"]
