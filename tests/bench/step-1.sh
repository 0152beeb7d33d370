#!/bin/sh
# Times the whole of Step 1 (82 sets, all shifts and 20 group permutations) on the fabrics that
# Rahman et al. evaluate. Run from the top directory; one fabric as an argument times that one.
#   tests/bench/step-1.sh [9|17|33|27]
set -eu
cargo build --release --package tvlb
tvlb=${CARGO_TARGET_DIR:-target}/release/tvlb
for g in ${1:-9 17 33 27}; do
    case $g in
        27) fabric=tables/dfly-13-26-13-27.toml patterns=type1-set:1,type2-set:1 ;; # a sample
        *) fabric=tables/dfly-4-8-4-$g.toml patterns=type1-set,type2-set ;;
    esac
    echo "$fabric, $patterns"
    time "$tvlb" model "$fabric" --patterns "$patterns" --quiet > /dev/null
done
