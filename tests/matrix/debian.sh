#!/bin/sh
# debian.sh RELEASE: the two commands of the README on a Debian that has never seen the project.
# RELEASE is 12 or 13. Needs root (for chroot), or a machine that gives its users a range of ids.
#
# debian.sh RELEASE --check-gpio: only tests/hil/check_gpio.c is built there, against that release's libgpiod, as
# /check-gpio. Prints the root's folder, which stays, for a kernel to run it in (tests/hil/test_gpio.sh).
#
# A minimal root is made once from this machine's mirror and kept as an archive; each run unpacks a
# fresh copy, so `./dev` really has to install what it needs. Downloaded packages are kept, too.
set -eu
. "$(dirname -- "$0")/lib.sh"

release=${1:-}
only_gpio=${2:-}
case $release in
12) codename=bookworm ;;
13) codename=trixie ;;
*) fail "which Debian? debian.sh 12, debian.sh 13" ;;
esac
name=debian$release
archive=$cache/$name.tar
root=$cache/$name.root
debs=$cache/$name.debs
log=$cache/$name.log
mkdir -p "$cache" "$debs/partial"

# Without root: a namespace where we are root of a range of ids.
if [ "$(id -u)" != 0 ]; then
    unshare --user --map-root-user --map-auto true 2>/dev/null ||
        fail "a Debian root needs root, or a range of user ids (the package uidmap): sudo ./dev matrix $name"
    exec unshare --user --map-root-user --map-auto -- "$0" "$@"
fi

only_one "$name"

make_archive() {
    sources=$(debian_sources "$codename")
    key=$(printf '%s' "$sources" | cksum)
    if [ -f "$archive" ] && [ "$(cat "$archive.key" 2>/dev/null)" = "$key" ]; then
        return
    fi
    say "Making a minimal Debian $release, once..."
    start=$(date +%s)
    apt_settings >"$cache/$name.apt.conf"
    printf '%s\n' "$sources" |
        mmdebstrap --quiet --format=tar --variant=minbase --aptopt="$cache/$name.apt.conf" \
            "$codename" "$archive.new" - >"$log" 2>&1 ||
        { tail -n 20 "$log" >&2; fail "mmdebstrap could not make a Debian $release."; }
    mv "$archive.new" "$archive"
    printf '%s' "$key" >"$archive.key"
    result "$name: minimal root made in $(seconds_since "$start") s"
}

# What the last run left, with nothing of the machine's own below it.
remove_root() {
    rm -rf --one-file-system "$root"
}

unpack_root() {
    remove_root
    mkdir -p "$root"
    tar -C "$root" --numeric-owner --xattrs -xf "$archive"
    rm -f "$root/etc/resolv.conf"
    cat /etc/resolv.conf >"$root/etc/resolv.conf" 2>/dev/null || true
    mkdir -p "$root/home/tester"
}

clone_tree() {
    git clone -q --no-hardlinks "$tree" "$root/home/tester/tessera" ||
        fail "the committed tree could not be cloned."
    if [ -n "${TESSERA_DATA:-}" ]; then
        mkdir -p "$root/srv/data"
    fi
}

# inside COMMAND: in the root, with processes and mounts of its own, which end with it.
# The environment is a newcomer's: nothing of ours but what reaches the mirror.
inside() {
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child -- sh -c '
        root=$1 debs=$2 data=$3 command=$4
        mount -t proc proc "$root/proc"
        mount --rbind /dev "$root/dev" && mount --make-rslave "$root/dev"
        mount --bind "$debs" "$root/var/cache/apt/archives"
        [ -z "$data" ] || mount --bind -o ro "$data" "$root/srv/data"
        exec env -i HOME=/root PATH=/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 \
            ${data:+TESSERA_DATA=/srv/data} TESSERA_JOBS="${TESSERA_JOBS:-$(nproc)}" \
            ${http_proxy:+http_proxy="$http_proxy"} ${https_proxy:+https_proxy="$https_proxy"} \
            chroot "$root" sh -c "cd /home/tester/tessera && $command"
    ' sh "$root" "$debs" "${TESSERA_DATA:-}" "$1"
}

# step WHAT COMMAND: runs it inside, times it; a failure is counted and shown.
passed=0
failed=0
step() {
    start=$(date +%s)
    if inside "$2" >"$log" 2>&1; then
        passed=$((passed + 1))
        took=$(seconds_since "$start")
    else
        failed=$((failed + 1))
        took=$(seconds_since "$start")
        result "$name: FAILED after $took s: $1"
        tail -n 60 "$log"
        return 1
    fi
}

versions() {
    inside 'for p in gcc libopencv-core-dev libgpiod-dev libserialport-dev; do
        printf "%s %s, " "$p" "$(dpkg-query -W -f "\${Version}" $p)"; done; uname -m' | sed 's/-dev//g'
}

# The summary line that ./dev test ends with; each test counts.
count_tests() {
    line=$(grep -E '^[0-9]+ passed, [0-9]+ failed$' "$log" | tail -n 1)
    [ -n "$line" ] || return 0
    passed=$((passed + ${line%% passed*}))
    line=${line##*, }
    failed=$((failed + ${line%% failed*}))
}

# Nothing may be left beside the sources.
check_clean() {
    if [ -z "$(git -C "$root/home/tester/tessera" status --porcelain)" ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        result "$name: FAILED: the tree is not as clean as before:"
        git -C "$root/home/tester/tessera" status --porcelain
    fi
}

# The panel's edge alone needs a compiler and two libraries; what was installed once is kept.
build_check_gpio() {
    root=$cache/$name.gpio
    if [ "$(cat "$root/ready" 2>/dev/null)" != "$(cat "$archive.key")" ]; then
        unpack_root
        mkdir "$root/home/tester/tessera"
        step "installing libgpiod" 'apt-get -q update && apt-get -q install -y --no-install-recommends \
            gcc libc6-dev libgpiod-dev libcmocka-dev' >&2 || exit 1
        cp "$archive.key" "$root/ready"
    fi
    rm -rf "$root/home/tester/tessera"
    mkdir "$root/home/tester/tessera"
    (cd "$tree" && tar -c config/base controller/*.[ch] tests/hil/*.[ch]) | tar -x -C "$root/home/tester/tessera"
    version=2
    [ "$release" != 12 ] || version=1
    step "building check-gpio" "gcc -std=gnu17 -O2 -D_GNU_SOURCE -I. -Itests -o /check-gpio tests/hil/check_gpio.c \
        controller/gpio.c controller/gpio_chip.c controller/gpio_debounce.c controller/gpio_v$version.c \
        config/base/clock.c config/base/error.c config/base/io.c -lgpiod -lcmocka" >&2 || exit 1
    printf '%s\n' "$root"
}

make_archive >&2
if [ "$only_gpio" = --check-gpio ]; then
    build_check_gpio
    exit 0
fi
unpack_root
clone_tree
if step "installing what ./dev asks for" './dev deps'; then
    result "$name: packages installed in $took s: $(versions)"
    if step "building" './dev build'; then
        result "$name: built in $took s"
        step "./dev test" './dev test' || true
        count_tests
        result "$name: ./dev test took $took s: $(tail -n 1 "$log")"
        if step "./dev play" './dev play --auto --seed 7'; then
            result "$name: ./dev play --auto --seed 7 took $took s: $(tail -n 1 "$log")"
            cp "$log" "$cache/$name.game"
        fi
        check_clean
    fi
fi
remove_root
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
