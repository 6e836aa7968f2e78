#!/bin/sh
# sysroot.sh PACKAGE...: the arm64 packages named and all they depend on, unpacked into a folder for
# a cross compiler and for user emulation. Prints the folder's name.
#
# Apt resolves with a state of its own: dpkg is not told, nothing is installed or configured, so an
# amd64 package on this machine never has to make room for its arm64 twin.
set -eu
. "$(dirname -- "$0")/lib.sh"
only_one arm64

state=$arm64_state
sysroot=$cache/arm64.sysroot

# The files of all packages wanted, one a line: also the key that tells when to unpack anew.
wanted() {
    arm64_apt install --print-uris -y -qq "$@" | awk '/^\x27/ { print $2 }' | sort
}

unpack() {
    rm -rf "$sysroot.new"
    mkdir -p "$sysroot.new/usr"
    # /lib, /bin, /sbin belong under /usr, whichever of the two places a package still names.
    for folder in lib bin sbin; do
        mkdir "$sysroot.new/usr/$folder"
        ln -s "usr/$folder" "$sysroot.new/$folder"
    done
    for file; do
        # tar, because dpkg-deb -x would replace those links by folders
        dpkg-deb --fsys-tarfile "$state/archives/$file" |
            tar -C "$sysroot.new" -x --keep-directory-symlink --no-same-owner ||
            fail "$file could not be unpacked."
    done
    # What the packages' own scripts would have done: choose a BLAS and a LAPACK.
    for name in blas lapack; do
        libraries=$sysroot.new/usr/lib/aarch64-linux-gnu
        if [ -e "$libraries/$name/lib$name.so.3" ]; then
            ln -sf "$name/lib$name.so.3" "$libraries/lib$name.so.3"
        fi
    done
}

if ! arm64_apt_update; then
    [ -d "$sysroot" ] || { tail -n 15 "$state/log" >&2; fail "the arm64 package lists could not be fetched."; }
    say "The mirror can't be reached; using the arm64 packages of the last time."
    printf '%s\n' "$sysroot"
    exit 0
fi
files=$(wanted "$@")
[ -n "$files" ] || fail "these packages have no arm64 twins: $*"
if [ ! -d "$sysroot" ] || [ "$(cat "$sysroot.files" 2>/dev/null)" != "$files" ]; then
    say "Fetching and unpacking $(printf '%s\n' "$files" | wc -l) arm64 packages..."
    arm64_apt install --download-only -y "$@" >"$state/log" 2>&1 ||
        { tail -n 15 "$state/log" >&2; fail "the arm64 packages could not be fetched."; }
    # shellcheck disable=SC2086
    unpack $files
    rm -rf "$sysroot"
    mv "$sysroot.new" "$sysroot"
    rm -f "$state"/archives/*.deb
    printf '%s\n' "$files" >"$sysroot.files"
fi
printf '%s\n' "$sysroot"
