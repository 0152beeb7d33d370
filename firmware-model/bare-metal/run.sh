#!/usr/bin/env bash
# Runs the datapath on an emulated Cortex-M4, and on a big-endian PowerPC, and compares its decisions with the host's, byte for
# byte; linking fails if any path leads to a panic. With --cost it also prints what it costs.
#
# Needs a Rust compiler for thumbv7em-none-eabihf, or one that can build `core` itself, ld.lld and
# QEMU. On Debian: apt-get install rustc-web cargo-web rust-web-src lld qemu-system-arm qemu-user
# Where they are missing it says so and succeeds.
set -euo pipefail
cd "$(dirname "$0")"
export CARGO_TERM_COLOR=never
target=thumbv7em-none-eabihf

debian=no
if [ -x /usr/bin/rustc ] &&
    [ -f "$(/usr/bin/rustc --print sysroot)/lib/rustlib/src/rust/library/core/src/lib.rs" ]; then
    debian=yes
fi
skip() { printf 'skipped: the bare-metal run needs %s\n' "$1"; exit 0; }
command -v ld.lld >/dev/null || skip 'ld.lld (Debian: lld)'
command -v qemu-system-arm >/dev/null || skip 'qemu-system-arm'

out=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')
host=$(mktemp) machine=$(mktemp)
trap 'rm -f "$host" "$machine"' EXIT
cargo run --quiet --release --locked --bin record >"$host"

compile() { # a command of cargo and its options
    if [ -d "$(rustc --print sysroot)/lib/rustlib/$target" ]; then
        cargo "$@" --quiet --locked --target "$target"
    elif [ $debian = yes ]; then
        # Debian's compiler brings the source of `core`, which has to be built with it.
        RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo "$@" --quiet --locked -Zbuild-std=core --target "$target"
    else
        skip "a compiler for $target (Debian: rustc-web cargo-web rust-web-src)"
    fi
}
build() { compile build --release "$@"; }
elf() { printf '%s/%s/release/%s' "$out" "$target" "$1"; }
flash() { size "$(elf "$1")" | awk 'NR == 2 { print $1 }'; }

# A datapath of nothing but what every fabric needs comes first, so that the whole one is left.
build --no-default-features
if nm "$(elf record)" | grep -i 'panick\|must_not_panic'; then
    printf 'the datapath for plain fabrics has the above symbols of panics\n' >&2
    exit 1
fi
plain=$(($(flash footprint) - $(flash empty)))
cp "$(elf record)" "$(elf record-plain)"
build
emulate() {
    timeout 120 qemu-system-arm -M mps2-an386 -nographic \
        -semihosting-config enable=on,target=native "$@" </dev/null
}

# The guard of the link is enough; this is to see it.
for program in record footprint cost; do
    if nm "$(elf "$program")" | grep -i 'panick\|must_not_panic'; then
        printf '%s has the above symbols of panics\n' "$program" >&2
        exit 1
    fi
done

emulate -kernel "$(elf record-plain)" >"$machine"
cmp "$host" "$machine"
emulate -kernel "$(elf record)" >"$machine"
cmp "$host" "$machine"
printf '%s decisions and look-ups on %s: the same as on the host, and no panic in the program\n' \
    "$(wc -l <"$machine")" "$target"

# And on a big-endian machine, where Debian's compiler and QEMU's user mode are there.
if command -v qemu-ppc >/dev/null && [ "${debian-}" = yes ]; then
    RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1 /usr/bin/cargo build --quiet --release --locked \
        -Zbuild-std=core,compiler_builtins -Zbuild-std-features=compiler-builtins-mem \
        --target powerpc-unknown-linux-gnu --features big-endian --bin big_endian
    timeout 120 qemu-ppc "$out/powerpc-unknown-linux-gnu/release/big_endian" >"$machine"
    cmp "$host" "$machine"
    printf 'the same on powerpc-unknown-linux-gnu, big-endian\n'
else
    printf 'skipped: the big-endian run needs qemu-ppc (Debian: qemu-user, and the compiler above)\n'
fi

# A page that is out of date fails; compilers differ by less.
near() { # page, what is before and after the figure on it, figure
    said=$(sed -n "s/^.*$2\([0-9]*\)$3.*\$/\1/p" "$1")
    if [ $((${said:-0} * 100)) -lt $(($4 * 95)) ] || [ $((said * 100)) -gt $(($4 * 105)) ]; then
        printf '%s says %s, measured %s: tests/bench/datapath-cost.sh writes it\n' "$1" "${said:-nothing}" "$4" >&2
        exit 1
    fi
}

if [ "${1-}" = --cost ]; then
    datapath=$(($(flash footprint) - $(flash empty)))
    printf 'flash %s\n' "$datapath"
    near ../README.md 'The datapath is ' ' B of flash' "$datapath"
    printf 'flash-plain %s\n' "$plain"
    whole=$(flash footprint)
    build --bin footprint --features onward
    printf 'flash-onward %s\n' "$(($(flash footprint) - whole))"
    build --bin footprint --features per-hop-boot
    boot=$(flash footprint)
    build --bin footprint --features per-hop
    printf 'flash-ofar-boot %s\n' "$((boot - whole))"
    printf 'flash-ask %s\n' "$(($(flash footprint) - boot))"
    # The library for C, of which the linker keeps what the named functions need.
    library() {
        (cd ../.. && compile rustc --target-dir "$out" --package tvlb-firmware-c --profile firmware --crate-type staticlib \
            --features panic-guard "$@")
    }
    in_c() { # functions
        local keep=() function
        for function in "$@"; do keep+=("--undefined=tvlb_$function"); done
        # Only where this script has built `core`, for size, can a number of 64 bits panic as it is printed.
        case " $* " in *' check_image '*) keep+=(--defsym=tvlb_must_not_panic=tvlb_boot) ;; esac
        ld.lld -m armelf --gc-sections --entry=tvlb_boot "${keep[@]}" \
            "$out/$target/firmware/libtvlb_firmware_c.a" -o "$machine"
        size "$machine" | awk 'NR == 2 { print $1 }'
    }
    packets=(boot admit reconsider forward)
    library --no-default-features
    printf 'flash-c-plain packets %s\n' "$(in_c "${packets[@]}")"
    library
    packets_size=$(in_c "${packets[@]}")
    printf 'flash-c packets %s\n' "$packets_size"
    near ../c/README.md '`tvlb_forward` | ' ' |' "$packets_size"
    for more in look_onward install_faults explain check_image error_name; do
        printf 'flash-c %s %s\n' "$more" "$(($(in_c "${packets[@]}" "$more") - packets_size))"
    done
    counted=(boot admit_counted reconsider_counted forward)
    printf 'flash-c counted %s\n' "$(($(in_c "${counted[@]}") - packets_size))"
    emulate -icount shift=0 -kernel "$(elf cost)"
fi
