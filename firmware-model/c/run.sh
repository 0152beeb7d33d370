#!/usr/bin/env bash
# Builds the static library, with its guard against panics; compiles the example, a program that calls
# every function and the program of a million packets without a C library, runs them, and compares the
# latter with Rust.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TERM_COLOR=never
cc=${CC:-cc}
case $(uname -sm) in
'Linux x86_64' | 'Linux aarch64') ;;
*) printf 'skipped: the C example has no system calls for %s\n' "$(uname -sm)"; exit 0 ;;
esac
command -v "$cc" >/dev/null || { printf 'skipped: the C example needs a C compiler\n'; exit 0; }

out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
target=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
cargo rustc --quiet --locked --package tvlb-firmware-c --features panic-guard \
    --profile firmware --crate-type staticlib
library=$target/firmware/libtvlb_firmware_c.a

flags='-std=c11 -Wall -Wextra -Wpedantic -Wconversion -Werror -Os -ffreestanding -nostdlib -static
    -ffunction-sections -fno-tree-loop-distribute-patterns -fno-stack-protector'
for program in example/route tests/million tests/every_call; do
    # Nothing defines the function that the panic handler calls, so a panic cannot be linked.
    # shellcheck disable=SC2086
    "$cc" $flags -I firmware-model/c/include -I firmware-model/c/example -Wa,-Ifirmware-model/bare-metal/images \
        firmware-model/c/$program.c firmware-model/c/example/start.c "$library" -Wl,--gc-sections \
        -o "$out/$(basename $program)"
    if nm "$out/$(basename $program)" | grep -i 'panick\|must_not_panic'; then
        printf '%s has the above symbols of panics\n' "$program" >&2
        exit 1
    fi
done

"$out/route" >"$out/routed"
tail -3 "$out/routed"
printf '%s lines from the C example, without a C library\n' "$(wc -l <"$out/routed")"
"$out/every_call" >"$out/refused" || { cat "$out/refused" >&2; exit 1; }
printf 'every function called; a truncated image is refused by "%s"\n' "$(cat "$out/refused")"
"$out/million" >"$out/c"
cargo run --quiet --locked --release --package tvlb-firmware-c --example million >"$out/rust"
cmp "$out/c" "$out/rust"
printf 'a million packets, in C and in Rust: both end in %s\n' "$(cat "$out/c")"
