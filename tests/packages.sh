#!/usr/bin/env bash
# Tests the packages of a switch's crates as they would be published, by what is in them: `cargo test` in each, with the
# others in the place of a registry. Needs the packages, which `cargo package --workspace --no-verify` makes.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
target=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT

crates=(tvlb-schema tvlb-firmware-model tvlb-firmware-c)
for crate in "${crates[@]}"; do
    package=$(ls "$target/package/$crate"-[0-9]*.crate)
    mkdir "$out/$crate"
    tar -xzf "$package" -C "$out/$crate" --strip-components 1
done
{
    # The profile of the workspace, so that what all build upon is built once.
    printf '[workspace]\nresolver = "2"\nmembers = ["tvlb-*"]\n[profile.dev]\nopt-level = 1\ndebug = false\n'
    printf '[patch.crates-io]\n'
    for crate in "${crates[@]}"; do printf '%s = { path = "%s" }\n' "$crate" "$crate"; done
} >"$out/Cargo.toml"
cp Cargo.lock "$out/Cargo.lock"
for crate in "${crates[@]}"; do
    # Each by itself, since features of one would be there for the others.
    (cd "$out" && cargo test --quiet --offline --target-dir "$target" --package "$crate") >"$out/log" 2>&1 ||
        { cat "$out/log" >&2; printf 'the package of %s does not pass its tests\n' "$crate" >&2; exit 1; }
    printf '%s: %s tests passed in its package\n' "$crate" \
        "$(sed -n 's/^test result: ok. \([0-9]*\) passed.*/\1/p' "$out/log" | awk '{ sum += $1 } END { print sum }')"
done
