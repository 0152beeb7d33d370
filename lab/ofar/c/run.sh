#!/usr/bin/env bash
# Builds the static library, with its guard against panics; compiles a program that calls every function and
# the program of half a million questions without a C library, runs them, and compares the latter with Rust.
set -euo pipefail
cd "$(dirname "$0")/../../.."
export CARGO_TERM_COLOR=never
cc=${CC:-cc}
case $(uname -sm) in
'Linux x86_64' | 'Linux aarch64') ;;
*) printf 'skipped: the C programs have no system calls for %s\n' "$(uname -sm)"; exit 0 ;;
esac
command -v "$cc" >/dev/null || { printf 'skipped: the C programs need a C compiler\n'; exit 0; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
target=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
cargo rustc --quiet --locked --package tvlb-ofar-c --features panic-guard \
    --profile firmware --crate-type staticlib
library=$target/firmware/libtvlb_ofar_c.a

flags='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -Os -ffreestanding -nostdlib -static
    -ffunction-sections -fno-tree-loop-distribute-patterns -fno-stack-protector'
# The datapath's own program comes first: the library takes the place of the datapath's.
for program in firmware-model/c/tests/every_call lab/ofar/c/tests/every_call lab/ofar/c/tests/questions; do
    # Nothing defines the function that the panic handler calls, so a panic cannot be linked.
    # shellcheck disable=SC2086
    "$cc" $flags -I firmware-model/c/include -I firmware-model/c/example -I firmware-model/c/tests \
        -I lab/ofar/c/include -I lab/ofar/c/tests -Wa,-Ifirmware-model/bare-metal/images \
        $program.c firmware-model/c/example/start.c "$library" -Wl,--gc-sections \
        -o "$out/${program//\//-}"
    if nm "$out/${program//\//-}" | grep -i 'panick\|must_not_panic'; then
        printf '%s has the above symbols of panics\n' "$program" >&2
        exit 1
    fi
done

for calls in firmware-model-c-tests-every_call lab-ofar-c-tests-every_call; do
    "$out/$calls" >"$out/refused" || { cat "$out/refused" >&2; exit 1; }
done
printf 'every function called; a truncated image is refused by "%s"\n' "$(cat "$out/refused")"
"$out/lab-ofar-c-tests-questions" >"$out/c"
cargo run --quiet --locked --release --package tvlb-ofar-c --example questions >"$out/rust"
cmp "$out/c" "$out/rust"
printf 'half a million questions at every hop, in C and in Rust: both end in %s\n' "$(cat "$out/c")"
