#!/bin/sh
# arm64.sh [--all|--quick|--decisions|--build] PACKAGE...: the arm64 build, run under qemu's user emulation, against the amd64
# build of the same tree. PACKAGEs are the development packages that the project is built with.
#
# Run by `./dev matrix arm64`, which has built the release preset before. --all also runs the tests that need many
# minutes each under emulation (the eyes on pictures, whole games with the arm); --quick leaves out the whole game and
# the photographs; --decisions leaves out all tests and the recorded sessions, too, and builds the programs alone;
# --build leaves out all but the build.
set -eu
. "$(dirname -- "$0")/lib.sh"

quick=
every=
only_build=
targets=all
no_tests=
case ${1:-} in
--all) every=yes && shift ;;
--quick) quick=yes && shift ;;
--decisions) quick=yes no_tests=yes targets='tessera tessera-rulesd tessera-engine tessera-config' && shift ;;
--build) only_build=yes && shift ;;
esac
build=$tree/build/arm64
native=$tree/build/release/bin
# Rules, motion, settings, the ground floor, exact counts: seconds each, even emulated.
light_tests='^(test_(base|rules|rulesd|config|motion|house)_|test_engine_(perft|line|sboard)|test_vision_geometry|fuzz_)'
slow_tests='test_(config_calibrate|motion_sim|rulesd_kill)'
# The emulator, not we: it carries out posix_spawn() as a fork, so that spawning a program that does not
# exist seems to succeed; and limits on real time don't hold for programs ten times as slow.
unfit_tests='test_vision_session|test_rulesd_server'
passed=0
failed=0

case $(uname -m) in
aarch64) fail "this machine is arm64 itself: ./dev test is the test." ;;
x86_64) ;;
*) fail "the arm64 build is compared with an amd64 one, and this machine is $(uname -m)." ;;
esac

count() { # count STATUS WHAT
    if [ "$1" = 0 ]; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        result "arm64: FAILED: $2"
    fi
}

build_all() {
    [ -f "$build/build.ninja" ] && grep -q "TESSERA_SYSROOT:PATH=$sysroot\$" "$build/CMakeCache.txt" ||
        cmake --preset arm64 --fresh -S "$tree" -DTESSERA_SYSROOT="$sysroot" -DTESSERA_WERROR=OFF >"$build.log" 2>&1 ||
        { tail -n 25 "$build.log" >&2; fail "the arm64 build could not be configured; the whole log is $build.log."; }
    say "Building for arm64; the first time takes a few minutes..."
    # shellcheck disable=SC2086
    ninja -C "$build" $targets >"$build.log" 2>&1 || {
        grep -E -A6 'error:|FAILED|undefined reference' "$build.log" | head -n 60 >&2
        fail "the arm64 build failed; the whole log is $build.log."
    }
}

# The plain name of each program becomes a script that runs it under the emulator (see arm64.cmake).
write_starters() {
    for program in "$build"/bin/*.arm64; do
        starter=${program%.arm64}
        printf '#!/bin/sh\nexec %s -L %s -0 "$0" %s "$@"\n' "$emulator" "$sysroot" "$program" >"$starter.new"
        chmod +x "$starter.new"
        mv "$starter.new" "$starter"
    done
}

# The tests as ctest knows them, with the emulator in front.
run_tests() {
    start=$(date +%s)
    if [ -n "$every" ]; then
        set -- -E "^($unfit_tests)\$"
    else
        set -- -E "^($unfit_tests|$slow_tests)\$" -R "$light_tests"
    fi
    scratch=$(mktemp -d)
    TMPDIR=$scratch ctest --test-dir "$build" -j "${TESSERA_JOBS:-$(nproc)}" --output-on-failure "$@" >"$build.test.log" 2>&1 || true
    rm -rf "$scratch"
    good=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .* Passed' "$build.test.log" || true)
    bad=$(grep -cE '^ *[0-9]+/[0-9]+ Test +#[0-9]+: .*(\*\*\*[^S]|Not Run)' "$build.test.log" || true)
    passed=$((passed + good))
    failed=$((failed + bad))
    [ "$good" != 0 ] || count 1 "no test was run"
    [ "$bad" = 0 ] || cat "$build.test.log"
    result "arm64: tests took $(seconds_since "$start") s: $good passed, $bad failed"
}

# The same decisions as on amd64, to the last letter.
compare() {
    start=$(date +%s)
    [ -z "$quick" ] || export DECISIONS_GAME=no
    [ -z "$no_tests" ] || export DECISIONS_SESSIONS=no
    if [ -z "$quick" ] && [ -d "${TESSERA_DATA:-}/photos" ]; then
        DECISIONS_PICTURES=$(find "$TESSERA_DATA/photos" -iname '*.jp*g' ! -name '* *' | sort | awk 'NR % 40 == 1' | head -n 20)
        export DECISIONS_PICTURES
    fi
    "$matrix_here/decisions.sh" "$native" >"$build.decisions.amd64" &
    "$matrix_here/decisions.sh" "$build/bin" >"$build.decisions.arm64" || true
    wait "$!" || count 1 "decisions.sh on amd64: see $build.decisions.amd64"
    if diff -u "$build.decisions.amd64" "$build.decisions.arm64" >"$build.decisions.diff"; then
        count 0 decisions
    else
        count 1 "arm64 decides otherwise than amd64:"
        head -n 60 "$build.decisions.diff"
    fi
    result "arm64: $(grep -c '^## ' "$build.decisions.amd64") questions, $(wc -l <"$build.decisions.amd64") lines of answers compared with amd64 in $(seconds_since "$start") s"
}

emulator=$(command -v qemu-aarch64-static || command -v qemu-aarch64) ||
    fail "there is no user emulator for arm64 (the package qemu-user-static)."
start=$(date +%s)
sysroot=$("$matrix_here/sysroot.sh" "$@")
result "arm64: packages ready in $(seconds_since "$start") s, $(du -sm "$sysroot" | cut -f1) MB unpacked"
start=$(date +%s)
mkdir -p "$tree/build"
build_all
write_starters
result "arm64: built in $(seconds_since "$start") s with $(aarch64-linux-gnu-gcc --version | sed -n 1p), $("$emulator" --version | sed -n 1p)"
[ -z "$only_build" ] || exit 0
[ -n "$no_tests" ] || run_tests
compare
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
