#!/usr/bin/env bash
# Makes the Debian package, looks at its files, and runs its programs: as root, on a system without the package, dpkg
# installs it and removes it again; otherwise the programs run where it was unpacked.
set -euo pipefail
cd "$(dirname "$0")/.."
export CARGO_TERM_COLOR=never
out=$(mktemp -d)
installed=
clean() {
    if [ -n "$installed" ]; then dpkg --remove tvlb >/dev/null; fi
    rm -rf "$out"
}
trap clean EXIT

if ! cargo deb --version >/dev/null 2>&1 || ! command -v dpkg >/dev/null; then
    printf 'skipped: the Debian package needs cargo-deb and dpkg\n'
    exit
fi
# One after the other, as pip builds them: dependencies would have other features for both together.
for program in tvlb tvlb-lab; do cargo build --quiet --release --locked --package $program; done
release=$(cargo metadata --format-version 1 --no-deps --locked | sed 's/.*"target_directory":"\([^"]*\)".*/\1/')/release
.ci/pages "$release" dist/pages
cargo deb --quiet --no-build --fast --package tvlb --output "$out/tvlb.deb" >/dev/null
dpkg-deb --field "$out/tvlb.deb" Package Version Depends

root=$out/root
dpkg-deb --extract "$out/tvlb.deb" "$root"
share=$root/usr/share
for program in tvlb tvlb-lab; do
    gzip --decompress --stdout "$share/man/man1/$program.1.gz" | grep -q '^\.SH NAME'
    bash -n "$share/bash-completion/completions/$program"
    [ -s "$share/zsh/vendor-completions/_$program" ]
    [ -s "$share/fish/vendor_completions.d/$program.fish" ]
done
[ -s "$share/man/man1/tvlb-verify.1.gz" ]
[ -s "$share/man/man1/tvlb-lab-sweep.1.gz" ]

how=unpacked
if [ "$(id -u)" = 0 ] && ! dpkg --status tvlb >/dev/null 2>&1; then
    dpkg --install "$out/tvlb.deb" >/dev/null
    installed=yes how=installed root=
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
for program in tvlb tvlb-lab; do [ "$("$root/usr/bin/$program" --version)" = "$program $version" ]; done
"$root/usr/bin/tvlb" generate tables/dfly-2-4-2-9.toml -o "$out/tables" --set all | tail -1
"$root/usr/bin/tvlb-lab" bisection tables/dfly-2-4-2-9.toml | head -1
printf 'the programs of the Debian package run as %s\n' "$how"
