#!/usr/bin/env bash
# debian_kernel.sh amd64|arm64 - prints a folder with Debian's own kernel for that processor (Image) and
# what it starts from (initrd), and makes it first if this machine has none yet (a minute, once).
#
# The kernel is the package as users install it. Two drivers that Debian does not build are built as
# modules from its own sources of the same version against its own headers: gpio-sim and raw_gadget. A
# security update of the kernel makes a new folder; older ones are removed.
set -euo pipefail
hil=$(cd "$(dirname "$0")" && pwd)
set -- "${1:?which processor? debian_kernel.sh amd64|arm64}"
# shellcheck disable=SC1091
matrix_here=$hil/../matrix
. "$hil/../matrix/lib.sh"
arch=$1
only_one "kernel-$arch"
kept=${cache%/matrix}/hil
MODULES='virtio_pci virtio_console 9pnet_virtio 9p overlay configfs gpio-sim uvcvideo xhci_pci ftdi_sio dummy_hcd raw_gadget'
cross=''
make_options=()
packages() { apt-get -q -o APT::Sandbox::User=root "$@"; }
known() { apt-cache "$@" || true; } # what apt does not know is asked for below
case $arch in
amd64) ;;
arm64)
    cross=aarch64-linux-gnu-
    make_options=(ARCH=arm64)
    packages() { arm64_apt "$@"; }
    known() { arm64_apt_cache "$@" || true; }
    arm64_apt_update >/dev/null || say "hil: the mirror can't be reached; using the lists of the last time."
    ;;
*) fail "there is no Debian kernel here for $arch" ;;
esac

# The ELF image inside a bzImage: unpacking itself would cost an emulated processor four seconds.
# The header says where it lies: 497 sectors of set-up code, 584 offset, 588 length.
take_out() { # take_out BZIMAGE
    local sectors offset length
    sectors=$(od -An -tu1 -j497 -N1 "$1")
    offset=$(od -An -tu4 -j584 -N4 "$1")
    length=$(od -An -tu4 -j588 -N4 "$1")
    dd if="$1" bs=64k iflag=skip_bytes,count_bytes skip=$(((sectors + 1) * 512 + offset)) \
        count=$((length - 4)) status=none | xz -dc
}

# unpack_sources KERNEL: headers to where modules' Makefiles look for them, and two drivers.
unpack_sources() {
    local deb
    for deb in linux-headers-*.deb linux-kbuild-*.deb; do dpkg -x "$deb" .; done
    headers=$PWD/usr/src/linux-headers-$1
    sed -i "s|/usr/src/|$PWD/usr/src/|" "$headers/Makefile"
    [ ! -e "$headers/.kernelvariables" ] || sed -i '/CROSS_COMPILE/d' "$headers/.kernelvariables"
    local tree=$source
    dpkg --fsys-tarfile "$source"_*.deb | tar -xO "./usr/src/$source.tar.xz" | xz -dc |
        tar -x "$tree/drivers/gpio/gpio-sim.c" "$tree/drivers/gpio/gpiolib.h" "$tree/kernel/irq/irq_sim.c" \
            "$tree/drivers/usb/gadget/legacy/raw_gadget.c"
    mkdir drivers
    cp "$tree/drivers/gpio/gpio-sim.c" drivers/gpio_sim_main.c
    cp "$tree/drivers/gpio/gpiolib.h" "$tree/drivers/usb/gadget/legacy/raw_gadget.c" drivers/
    # irq_to_desc() is not exported to modules; this one does the same here and is.
    sed 's/handle_simple_irq(irq_to_desc(irqnum))/generic_handle_irq(irqnum)/' "$tree/kernel/irq/irq_sim.c" >drivers/irq_sim.c
    printf '%s\n' 'obj-m := gpio-sim.o raw_gadget.o' 'gpio-sim-y := gpio_sim_main.o irq_sim.o' >drivers/Kbuild
}

# make_initrd KERNEL FILE: busybox, the modules in their order, and the first program.
make_initrd() {
    local root=$PWD/initrd module
    mkdir -p "$root"/{bin,lib,proc,sys,dev}
    cp "$busybox" "$root/bin/busybox"
    cp "$hil/emulated_init.sh" "$root/init"
    for module in $MODULES; do modprobe -d "$PWD/root" -S "$1" --show-depends "$module"; done |
        awk '$1 == "insmod" && !seen[$2]++ { print $2 }' |
        while read -r module; do
            cp "$module" "$root/lib/"
            basename "$module" >>"$root/modules"
        done
    (cd "$root" && find . | cpio -o -H newc --quiet) >"$2"
}

build() { # build KERNEL FOLDER
    local kernel=$1 folder=$2 headers extra
    packages download "linux-image-$kernel" "linux-headers-$kernel" "linux-headers-${kernel%-*}-common" "$source"
    # What runs while modules are built is this machine's, whatever they are for.
    apt-get -q -o APT::Sandbox::User=root download "linux-kbuild-${source#linux-source-}"
    dpkg -x linux-image-*.deb root
    if [ "$arch" = amd64 ]; then take_out "root/boot/vmlinuz-$kernel"; else cat "root/boot/vmlinuz-$kernel"; fi >"$folder/Image"
    unpack_sources "$kernel"
    make -s -C "$headers" CROSS_COMPILE="$cross" "${make_options[@]}" M="$PWD/drivers" modules
    extra=root/lib/modules/$kernel/extra
    mkdir "$extra"
    cp drivers/*.ko "$extra/"
    "${cross}strip" --strip-debug "$extra"/*.ko
    depmod -b "$PWD/root" "$kernel"
    if [ "$arch" = arm64 ]; then
        packages download busybox-static
        dpkg -x busybox-static_*.deb busybox
        busybox=$PWD/busybox/bin/busybox
    else
        busybox=$(command -v busybox)
    fi
    make_initrd "$kernel" "$folder/initrd"
}

kernel=$(known depends "linux-image-$arch" | sed -n 's/^ *Depends: linux-image-//p' | sed -n 1p)
kernel=${kernel%%:*}
source=$(known depends linux-source | sed -n 's/^ *Depends: *\(linux-source-[0-9.]*\)$/\1/p' | sed -n 1p)
[ -n "$kernel" ] && [ -n "$source" ] || fail "apt knows no linux-image-$arch or no linux-source."
folder=$kept/debian-$arch-$kernel-$(cat "$0" "$hil/emulated_init.sh" | cksum | cut -d' ' -f1)
if [ ! -d "$folder" ]; then
    mkdir -p "$kept"
    say "hil: fetching Debian's kernel $kernel; two drivers are built for it..."
    work=$(mktemp -d "$kept/build.XXXXXX")
    trap 'rm -rf "$work"' EXIT
    began=$SECONDS
    mkdir "$work/result"
    (cd "$work" && build "$kernel" "$work/result") >"$kept/debian-$arch.log" 2>&1 || {
        tail -n 30 "$kept/debian-$arch.log" >&2
        fail "Debian's kernel was not made ready; the whole log is $kept/debian-$arch.log."
    }
    find "$kept" -maxdepth 1 -type d -name "debian-$arch-*" -exec rm -rf {} +
    mv "$work/result" "$folder"
    say "hil: $kernel ready in $((SECONDS - began)) s"
fi
echo "$folder"
