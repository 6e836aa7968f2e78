#!/usr/bin/env bash
# power.sh [--self-test] [--seed N] [CUTS] - is what a robot has called saved still there after the power
# was cut? TESSERA_BIN and HIL_BIN are the programs. Needs no privilege.
#
# Moves through the rules daemon, a calibration saved again and again, and a game on the simulated table
# share one ext4 disk of a machine (boot.sh) until it is killed between two instructions; then
# it starts again, mends its file system and goes on. All that it had written to the disk is in a log, and
# from that come other cuts: at any moment, and with any part of what the drive still had in its cache.
# CUTS (100) in all, in five machines. After each: every promise kept, the calibration whole, and (after
# every real cut and each tenth of the others) the game played to its end.
#
# --self-test: the same with programs whose fsync() does nothing. It passes when that is found out.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${TESSERA_BIN:?}" "${HIL_BIN:?}"
PATH=$PATH:/sbin:/usr/sbin
MACHINES=5
seed=$(date +%s) unsafe='' cuts=''
number() { # number TEXT: a whole one above zero
    case $1 in
    0* | *[!0-9]* | '') echo "hil: power [--self-test] [--seed N] [CUTS]; N and CUTS from 1" >&2; exit 2 ;;
    esac
    echo "$1"
}
while [ $# -gt 0 ]; do
    case $1 in
    --self-test) unsafe=$HIL_BIN/power-unsafe.so ;;
    --seed) seed=$(number "${2:-}"); shift ;;
    *) cuts=$(number "$1") ;;
    esac
    shift
done
if [ -n "$unsafe" ]; then MACHINES=1; fi
cuts=${cuts:-$((MACHINES == 1 ? 20 : 100))}
if [ "$cuts" -lt "$MACHINES" ]; then MACHINES=$cuts; fi
RANDOM=$((seed % 32768))
work=$(mktemp -d)
machine=''
# What runs in the background does not hear Ctrl-C.
trap '[ -z "$machine" ] || { kill "$machine" && wait "$machine"; } 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
TESSERA_HIL_KERNEL=$("$here/kernel.sh")
export TESSERA_HIL_KERNEL
passed=0 failed=0 resumed=0 records=0

make_disk() { # 32 MiB of ext4, and a sector for each promise behind it (power_log.h)
    truncate -s $((32 * 1024 * 1024 + 3 * 4096)) "$1"
    mkfs.ext4 -q -F -b 4096 -E nodiscard,lazy_itable_init=0,lazy_journal_init=0 "$1" 32M
}

judge() { # judge WHAT STATUS TEXT
    if [ "$2" = 0 ]; then
        passed=$((passed + 1))
        case $3 in *'went on'*) resumed=$((resumed + 1)) ;; esac
    else
        failed=$((failed + 1))
        printf '%s: %s\n' "$1" "$3"
    fi
}

run_until_cut() { # run_until_cut FOLDER SEED: leaves disk, base, log and promises in FOLDER
    local d=$1 game=$2 wait
    mkdir -p "$d/share"
    make_disk "$d/disk"
    cp "$d/disk" "$d/base"
    LD_PRELOAD=$HIL_BIN/power-log.so POWER_DISK=$d/disk POWER_LOG=$d/log \
        "$here/boot.sh" --time 300 --share "$d/share" --disk "$d/disk" -- \
        env TESSERA_BIN="$TESSERA_BIN" HIL_BIN="$HIL_BIN" POWER_UNSAFE="$unsafe" "$here/power_load.sh" "$game" \
        >"$d/said" 2>&1 &
    machine=$!
    for ((wait = 0; wait < 600; wait++)); do
        [ ! -e "$d/share/started" ] || break
        sleep 0.1
    done
    # Until the game has begun, and then for a while: nobody knows when the power goes.
    for ((wait = 0; wait < 900; wait++)); do
        ! grep -qa '^game - ' <(tail -c 4096 "$d/disk") || break
        sleep 0.1
    done
    sleep "$((RANDOM % 10)).$((RANDOM % 10))"
    kill -9 -- -"$(cat "$d/share/.hil/group")"
    wait "$machine" || true
    machine=''
    tail -c $((3 * 4096)) "$d/disk" | tr -s '\0' '\n' | grep -aE '^(moves|calibration|game) ' >"$d/share/promises" || true
    [ "$(wc -l <"$d/share/promises")" = 3 ] || {
        echo "hil: the machine had promised nothing when its power was cut:" >&2
        tail -n 20 "$d/said" >&2
        exit 1
    }
}

real_cut() { # real_cut FOLDER: the machine starts again
    local d=$1 text status=0
    cp "$d/disk" "$d/again"
    text=$("$here/boot.sh" --time 300 --share "$d/share" --disk "$d/again" -- \
        env TESSERA_BIN="$TESSERA_BIN" HIL_BIN="$HIL_BIN" "$here/power_again.sh" 2>&1) || status=$?
    judge "real cut" "$status" "$text"
}

made_cut() { # made_cut FOLDER AT SEED [resume]: after AT records of the log, by SEED
    local d=$1 at=$2 dice=$3 text status=0
    rm -rf "$d/back"
    mkdir "$d/back"
    "$HIL_BIN/power-disk" "$d/log" "$d/base" "$d/now" "$at" "$dice" >"$d/promises"
    e2fsck -fy "$d/now" >"$d/fsck" 2>&1 || status=$?
    if [ "$status" -gt 1 ]; then
        judge "cut at $at, seed $dice" 1 "LOST file system: $(tail -n 5 "$d/fsck")"
        return
    fi
    debugfs -R "rdump / $d/back" "$d/now" >"$d/debugfs" 2>&1
    status=0
    text=$("$here/power_verify.sh" "$d/back" "$d/promises" "${@:4}" 2>&1) || status=$?
    judge "cut at $at, seed $dice" "$status" "$text"
}

made=0
behind=('' behind) # every second robot had not yet laid its last stone
for ((m = 0; m < MACHINES; m++)); do
    d=$work/$m
    mkdir "$d"
    began=$SECONDS
    run_until_cut "$d" $((seed % 1000 + m))
    all=$("$HIL_BIN/power-disk" "$d/log")
    records=$((records + all))
    printf 'machine %d: %d writes and flushes; promised: %s\n' $((m + 1)) "$all" \
        "$(cut -d' ' -f1-3 "$d/share/promises" | sed 's/ - / /' | paste -sd,)"
    real_cut "$d"
    share=$((cuts * (m + 1) / MACHINES - cuts * m / MACHINES - 1))
    for ((i = 1; i <= share; i++)); do
        made=$((made + 1))
        # Anywhere in the log, by large random numbers; every fourth drive has no cache, every fourth loses all of it.
        any=$((RANDOM * 32768 + RANDOM))
        at=$((any % all + 1))
        if [ $((made % 10)) = 0 ]; then # late enough that there is a game to go on with
            at=$((all - any % (all / 4 + 1)))
            made_cut "$d" "$at" $((made / 10 % 3)) resume ${behind[made / 10 % 2]}
        else
            made_cut "$d" "$at" $((made % 4 < 2 ? made % 4 : RANDOM + 2))
        fi
    done
    printf 'machine %d: a real cut and %d made from its log in %d s\n' $((m + 1)) "$share" $((SECONDS - began))
    rm -rf "$d"
done
printf '%d cuts (%d of them real) in %d writes and flushes, seed %d; the game went on %d times\n' \
    "$cuts" "$MACHINES" "$records" "$seed" "$resumed"
if [ "$resumed" = 0 ] && [ -z "$unsafe" ]; then
    judge games 1 'none went on, so nothing is known of that'
fi
if [ -n "$unsafe" ]; then
    printf 'programs without fsync(): %d of %d cuts broke a promise\n' "$failed" "$cuts"
    if [ "$failed" -gt 0 ]; then passed=1 failed=0; else passed=0 failed=1; fi
fi
printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" = 0 ]
