#!/usr/bin/env bash
# Runs the tests of the C interfaces, this one and OFAR's, under Miri, an interpreter that reports undefined behaviour:
# misaligned or dangling accesses, broken borrows, uninitialised values, data races.
# Needs a nightly toolchain of rustup, and adds Miri to it; without them it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TERM_COLOR=never
skip() { printf 'skipped: Miri needs %s\n' "$1"; exit 0; }
command -v rustup >/dev/null || skip 'rustup'
rustup run nightly rustc --version >/dev/null 2>&1 || skip 'a nightly toolchain'
rustup component add --toolchain nightly miri rust-src >/dev/null 2>&1 ||
    rustup run nightly cargo miri --version >/dev/null 2>&1 ||
    skip 'the components miri and rust-src of the nightly toolchain'

# Apart from the other builds, which another compiler has made.
target=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
log=$(mktemp)
trap 'rm -f "$log"' EXIT
rustup run nightly cargo miri setup --target-dir "$target/miri" >"$log" 2>&1 ||
    { tail -20 "$log" >&2; exit 1; }
for tests in firmware-c/soundness firmware-c/bad_calls firmware-c/counted firmware-c/questions firmware-c/describe firmware-c/onward ofar-c/ofar; do
    rustup run nightly cargo miri test --quiet --locked --target-dir "$target/miri" \
        --package "tvlb-${tests%/*}" --test "${tests#*/}" >"$log" 2>&1 || { cat "$log" >&2; exit 1; }
    printf '%-21s %s\n' $tests "$(sed -n 's/^test result: //p' "$log")"
done
