#!/usr/bin/env bash
# Makes the Debian package, installs it and runs its programs. As root, on a system without the package, dpkg installs it
# and removes it again; otherwise it is unpacked into a directory.
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
.ci/pages "$release" "$release/pages"
cargo deb --quiet --no-build --package tvlb --output "$out/tvlb.deb"
dpkg-deb --field "$out/tvlb.deb" Package Version Depends

root=
if [ "$(id -u)" = 0 ] && ! dpkg --status tvlb >/dev/null 2>&1; then
    dpkg --install "$out/tvlb.deb" >/dev/null
    installed=yes
else
    root=$out/root
    dpkg-deb --extract "$out/tvlb.deb" "$root"
fi
version=$(sed -n 's/^version = "\(.*\)"/\1/p' Cargo.toml | head -1)
for program in tvlb tvlb-lab; do
    [ "$("$root/usr/bin/$program" --version)" = "$program $version" ]
    for page in $program.1 "$program"-{verify,sweep}.1; do
        case $page in tvlb-sweep.1 | tvlb-lab-verify.1) continue ;; esac
        gzip --decompress --stdout "$root/usr/share/man/man1/$page.gz" | grep -q '^\.SH NAME'
    done
    bash -n "$root/usr/share/bash-completion/completions/$program"
    for file in "zsh/vendor-completions/_$program" "fish/vendor_completions.d/$program.fish"; do
        [ -s "$root/usr/share/$file" ]
    done
done
"$root/usr/bin/tvlb" generate tables/dfly-2-4-2-9.toml -o "$out/tables" --set all | tail -1
"$root/usr/bin/tvlb-lab" bisection tables/dfly-2-4-2-9.toml | head -1
printf 'the Debian package is %s, its programs run\n' "${installed:+installed}${root:+unpacked}"
