#!/usr/bin/env bash
# Installs the repository into a virtual environment, as `pip install .` does, and tests the Python package there.
#
#   tests/python.sh ENVIRONMENT [--prepare]
#
# With --prepare it only makes the environment, with the packages that building and testing need.
set -euo pipefail
cd "$(dirname "$0")/.."
environment=$1
export PIP_DISABLE_PIP_VERSION_CHECK=1 PYTHONDONTWRITEBYTECODE=1 RUFF_NO_CACHE=true MYPY_CACHE_DIR=/dev/null
skip() { printf 'skipped: the Python package, as %s\n' "$1"; exit; }

python3 -c 'import ensurepip, sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null ||
    skip 'there is no Python 3.11 or later with venv'
if [ ! -f "$environment/prepared" ]; then
    python3 -m venv "$environment"
    python3 - >"$environment/requirements.txt" <<'END'
import tomllib
keys = tomllib.load(open("pyproject.toml", "rb"))
tests = keys["project"]["optional-dependencies"]["test"]
print(*keys["build-system"]["requires"], *keys["project"]["dependencies"], *tests, sep="\n")
END
    "$environment/bin/pip" install --quiet --requirement "$environment/requirements.txt" ||
        skip 'the packages that it needs cannot be installed'
    touch "$environment/prepared"
fi
if [ "${2:-}" = --prepare ]; then exit; fi

"$environment/bin/pip" install --quiet .
"$environment/bin/ruff" check --quiet python
"$environment/bin/ruff" format --check --quiet python
"$environment/bin/mypy" python
"$environment/bin/pytest" -p no:cacheprovider python/tests
