#!/usr/bin/env bash
# Measures what the datapath costs and writes the tables into firmware-model/README.md and firmware-model/c/README.md.
# Needs valgrind, and for the target's figures what firmware-model/bare-metal/run.sh needs.
set -euo pipefail
cd "$(dirname "$0")/../.."
export CARGO_TERM_COLOR=never
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
target=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')

# Not stripped: the probes are known by their names.
CARGO_PROFILE_RELEASE_STRIP=none cargo build --quiet --release --locked --package tvlb-firmware-c --example cost
instructions() { # kind, calls
    valgrind --tool=callgrind --callgrind-out-file=/dev/null --toggle-collect="*probe_*" \
        "$target/release/examples/cost" "$1" "$2" 2>&1 |
        awk -v calls="$2" '/Collected/ { printf "%.0f", $4 / calls }'
}
nanoseconds() { # kind, calls: of processor time, which other programs disturb little
    { TIMEFORMAT=%U && time "$target/release/examples/cost" "$1" "$2"; } 2>&1 |
        awk -v calls="$2" '{ printf "%.0f ns", $1 * 1e9 / calls }'
}
CARGO_PROFILE_RELEASE_OPT_LEVEL=3 firmware-model/bare-metal/run.sh --cost >"$out/fast"
firmware-model/bare-metal/run.sh --cost >"$out/machine"
machine() { awk -v what="$1" -v name="$2" '$1 == what && $2 == name { print $3 }' "$out/${3-machine}"; }
flash() { awk -v what="${2-flash}" '$1 == what { print $2 }' "$out/$1"; }

{
    printf '| call | instructions, x86-64 | time, x86-64 | instructions, Cortex-M4 | stack, Cortex-M4 |\n'
    printf '|---|--:|--:|--:|--:|\n'
    while IFS='|' read -r title kind; do
        printf '| %s | %s | %s | %s | %s |\n' "$title" "$(instructions "$kind" 20000)" \
            "$(nanoseconds "$kind" 20000000)" "$(machine instructions "$kind")" "$(machine stack "$kind") B"
    done <<'ROWS'
`admit`, MIN|admit-min
`admit`, UGAL-L, conventional|admit-ugal-l-conventional
`admit`, UGAL-L, strategic-2-3 by shape|admit-ugal-l-custom
`admit`, UGAL-L, 1% of only:101 (211 looks)|admit-ugal-l-rare
`admit`, UGAL-L, conventional, 1x4 with a gate|admit-ugal-l-conventional-1x4
`admit`, UGAL-L, strategic-2-3 by shape, 1x4 with a gate|admit-ugal-l-custom-1x4
`reconsider`, strategic-2-3 by shape|reconsider
`look_onward`, of four links|look-onward
`look_onward`, a packet that is not looked at|look-onward-elsewhere
`forward`|forward
`tvlb_admit`, UGAL-L, conventional|c-admit-ugal-l-conventional
`tvlb_admit`, UGAL-L, strategic-2-3 by shape|c-admit-ugal-l-custom
`tvlb_reconsider`, strategic-2-3 by shape|c-reconsider
`tvlb_look_onward`, of four links|c-look-onward
`tvlb_forward`|c-forward
`ask`, all outputs free|ask-free
`ask`, half of the outputs free|ask-busy
ROWS
    printf '\nBooting takes %s B of stack. A booted switch is %s B, on a machine of 32 bits. The datapath is %s B of flash, code and constants, booting and the random numbers included; without the feature `any-fabric` it is %s B.' \
        "$(machine stack boot)" "$(machine state switch)" "$(flash machine)" "$(flash machine flash-plain)"
    printf ' Deciding at every hop adds %s B of flash for `launch`, `ask` and `may_inject` and %s B for reading an escape image, which takes %s B of stack; what a switch keeps for it is %s B.' \
        "$(flash machine flash-ask)" "$(flash machine flash-ofar-boot)" "$(machine stack boot-ofar)" \
        "$(machine state ofar)"
    printf ' With counters of single virtual channels the 1x4 decision with a gate on ports takes %s instructions on the Cortex-M4 by `ByChannel`, which adds them up, and %s by `CreditCounters`, which keep the sums.' \
        "$(machine instructions admit-1x4-by-channel)" "$(machine instructions admit-1x4-counted)"
    printf ' The look in the intermediate group adds %s B of flash.' "$(flash machine flash-onward)"
    printf ' All this is built with `opt-level = "s"` ("z" for the reading of all images but that one), x86-64 with 3. With 3 on the Cortex-M4 too it is %s B of flash, and the two decisions of UGAL-L take %s and %s instructions there.\n' \
        "$(flash fast)" "$(machine instructions admit-ugal-l-conventional fast)" \
        "$(machine instructions admit-ugal-l-custom fast)"
} >"$out/table"
c_flash() { awk -v what="$1" -v name="$2" '$1 == what && $2 == name { print $3 }' "$out/machine"; }
{
    printf '| functions | bytes |\n|---|--:|\n'
    packets='`tvlb_boot`, `tvlb_admit`, `tvlb_reconsider`, `tvlb_forward`'
    printf '| %s | %s |\n' "$packets" "$(c_flash flash-c packets)"
    printf '| the same with `--no-default-features` | %s |\n' "$(c_flash flash-c-plain packets)"
    while IFS='|' read -r title what; do
        printf '| %s | +%s |\n' "$title" "$(c_flash flash-c "$what")"
    done <<'ROWS'
`tvlb_admit_counted`, `tvlb_reconsider_counted` in the place of the two|counted
`tvlb_look_onward` besides|look_onward
`tvlb_install_faults` besides|install_faults
`tvlb_explain` besides|explain
`tvlb_check_image` besides, with the words for all that can be wrong|check_image
`tvlb_error_name` besides|error_name
ROWS
} >"$out/c-table"

put() { # file, what the marks in it say, table
    awk -v table="$3" -v begin="<!-- $2: begin -->" -v end="<!-- $2: end -->" '
        $0 == end { inside = 0 }
        !inside { print }
        $0 == begin { inside = 1; while ((getline line < table) > 0) print line }
    ' "$1" >"$out/page"
    cat "$out/page" >"$1"
    cat "$3"
}
put firmware-model/README.md cost "$out/table"
put firmware-model/c/README.md flash "$out/c-table"
