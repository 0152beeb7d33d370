#!/usr/bin/env bash
# Runs every fuzz target for some seconds (20 if not said otherwise) from its saved seeds, as many at a
# time as there are processors. What is found on the way stays in a temporary folder; a crash is kept in fuzz/artifacts.
# `own_fabric` decodes a fabric of its own size from its input. After a change to what it decodes,
# these commands replace its seeds by those of a longer run, which goes into a folder F:
#   rm -r seeds/own_fabric; mkdir seeds/own_fabric F; export RUSTC_BOOTSTRAP=1
#   cargo fuzz run --fuzz-dir . own_fabric F -- -max_total_time=300
#   cargo fuzz run --fuzz-dir . own_fabric seeds/own_fabric F -- -merge=1 -use_counters=0 -max_len=600
# Needs cargo-fuzz and a C++ compiler; where they are missing it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=never
seconds=${1:-20}

cargo fuzz --version >/dev/null 2>&1 || { printf 'skipped: fuzzing needs cargo-fuzz\n'; exit 0; }
command -v c++ >/dev/null || { printf 'skipped: fuzzing needs a C++ compiler\n'; exit 0; }
found=$(mktemp -d)
trap 'rm -rf "$found"' EXIT

# Coverage instrumentation is not stable; the bootstrap switch stands in for a nightly compiler.
export RUSTC_BOOTSTRAP=1
run() {
    mkdir -p "$found/$1" "seeds/$1"
    cargo fuzz run --fuzz-dir . "$1" "$found/$1" "seeds/$1" -- \
        -max_total_time="$seconds" -print_final_stats=1 >"$found/$1.log" 2>&1 ||
        { tail -40 "$found/$1.log" >&2; return 1; }
    printf '%-14s %s executions in %s s, no crash\n' "$1" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$found/$1.log")" "$seconds"
}
export -f run
export found seconds
# All are built before the first runs, so that none waits for the compiler while its time runs.
cargo fuzz build --fuzz-dir . >"$found/log" 2>&1 || { tail -40 "$found/log" >&2; exit 1; }
printf '%s\n' fabric_image switch_image fault_image escape_image packet c_interface c_ofar own_fabric |
    xargs -P "$(nproc)" -I '{}' bash -c 'run {}'
