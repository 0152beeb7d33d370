"""The version of the Python package, which is that of the Cargo workspace."""

import tomllib
from pathlib import Path

_manifest = Path(__file__).parent.parent.joinpath("Cargo.toml").read_text(encoding="utf-8")
version: str = tomllib.loads(_manifest)["workspace"]["package"]["version"]
