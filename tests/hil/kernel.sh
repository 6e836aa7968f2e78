#!/usr/bin/env bash
# kernel.sh - prints the path of a user-mode Linux kernel with the drivers that a robot's users have,
# and builds it first if this machine has none yet (about five minutes on two idle cores, once).
#
# The sources are Debian's own linux-source, so a security update of it makes a new kernel, and
# Debian's v4l2loopback. Kernels stay in ${TESSERA_CACHE:-${XDG_CACHE_HOME:-~/.cache}/tessera}/hil,
# named by the versions and the configuration they were made from; older ones are removed.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
cache=${TESSERA_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/tessera}/hil

die() {
    echo "hil: $*" >&2
    exit 1
}

candidate() { # candidate PACKAGE: the version that apt would install
    apt-cache policy "$1" | sed -n 's/^ *Candidate: //p'
}

# The release's own sources: 6.1 on Debian 12, 6.12 on Debian 13. Nothing, if apt has no lists.
source_package() {
    { apt-cache depends linux-source 2>/dev/null || true; } |
        sed -n 's/^ *Depends: *\(linux-source-[0-9.]*\)$/\1/p' | sed -n 1p
}

# unpack PACKAGE: the kernel's sources, without other machines' and without what is never compiled here.
unpack() {
    dpkg --fsys-tarfile "$1"_*.deb | tar -xO "./usr/src/$1.tar.xz" | xz -dc |
        tar -x --exclude='*/Documentation/[a-jl-z]*' --exclude='*/drivers/gpu/drm/*.[ch]' \
            --exclude='*/drivers/net/*/*/*.[ch]' --exclude='*/sound/*.c' --exclude='*/tools/testing/*'
}

# add_loopback TREE: v4l2loopback compiled in, beside the kernel's own test drivers.
add_loopback() {
    local drivers=$1/drivers/media/test-drivers
    dpkg -x v4l2loopback-dkms_*.deb loopback
    mkdir "$drivers/v4l2loopback"
    cp loopback/usr/src/v4l2loopback-*/*.[ch] "$drivers/v4l2loopback/"
    echo 'obj-y += v4l2loopback.o' >"$drivers/v4l2loopback/Makefile"
    echo 'obj-y += v4l2loopback/' >>"$drivers/Makefile"
}

# widen TREE: user-mode Linux keeps each process's vector registers in 2,696 bytes. Processors with AMX
# have 11,008, and there the first process would end the kernel ("set fp regs failed"). Linux 6.13
# and later ask the processor.
widen() {
    sed -i 's/DEFINE_LONGS(HOST_FP_SIZE, 2696)/DEFINE_LONGS(HOST_FP_SIZE, 12288)/' "$1/arch/x86/um/user-offsets.c"
}

# tick TREE: gpio-sim's edges reach their readers with the next tick of this architecture (it has no
# interrupt for that), and 10 ms of the kernel's own would drown what is measured.
tick() {
    sed -i '/^config HZ$/,/default/s/default 100$/default 1000/' "$1/arch/um/Kconfig"
}

# configure TREE: as few options as possible, and every one of ours.
configure() {
    grep -E '^CONFIG_' "$here/kernel.config" >wanted
    make -s -C "$1" ARCH=um O="$PWD/out" KCONFIG_ALLCONFIG="$PWD/wanted" allnoconfig
    local lost
    lost=$(grep -vxFf out/.config wanted || true)
    [ -z "$lost" ] || die "this kernel does not take: $lost"
}

fetch() { apt-get download -q -o APT::Sandbox::User=root "$1" v4l2loopback-dkms; }

build() { # build PACKAGE RESULT
    local tree=$1 result=$2
    # Root's downloads would otherwise be tried as the user _apt, who may not write here. Lists of
    # packages that are weeks old name versions that are gone.
    fetch "$1" || { apt-get -q update && fetch "$1"; }
    unpack "$1"
    add_loopback "$tree"
    widen "$tree"
    tick "$tree"
    configure "$tree"
    nice -n 10 make -s -C "$tree" ARCH=um O="$PWD/out" -j"$(nproc)" linux
    strip -o linux out/linux
    mv linux "$result"
}

package=$(source_package)
if [ -z "$package" ]; then # a machine that has never asked
    apt-get -q update >/dev/null 2>&1 || true
    package=$(source_package)
fi
if [ -z "$package" ]; then # and one without a network, too
    for kernel in "$cache"/linux-*; do
        [ -x "$kernel" ] || continue
        echo "hil: apt knows no linux-source; using the kernel of the last time." >&2
        echo "$kernel"
        exit 0
    done
fi
[ -n "$package" ] || die "apt knows no linux-source; the kernel of these tests is built from it.
Run apt-get update, or look whether /etc/apt names Debian's main archive."
key=$( (candidate "$package"; candidate v4l2loopback-dkms; cat "$here/kernel.config"
    declare -f add_loopback widen tick configure) | cksum | cut -d' ' -f1)
kernel=$cache/linux-${package#linux-source-}-$key
if [ ! -x "$kernel" ]; then
    mkdir -p "$cache"
    exec 9>"$cache/.lock"
    flock 9 # two at once would only be slower
fi
if [ ! -x "$kernel" ]; then
    echo "hil: building a kernel from $package; this machine has none yet, it takes some minutes..." >&2
    work=$(mktemp -d "$cache/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    began=$SECONDS
    (cd "$work" && build "$package" "$kernel") >"$cache/build.log" 2>&1 || {
        tail -n 30 "$cache/build.log" >&2
        die "the kernel was not built; the whole log is $cache/build.log."
    }
    find "$cache" -maxdepth 1 -name 'linux-*' ! -path "$kernel" -delete
    echo "hil: kernel built in $((SECONDS - began)) s" >&2
fi
echo "$kernel"
