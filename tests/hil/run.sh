#!/usr/bin/env bash
# run.sh [--all] [NAME...] - the tests on real drivers (test_NAME.sh), each in a machine of its own, as
# many at once as there are processors. TESSERA_BIN and HIL_BIN are the programs (ARM64_BIN, ARM64_HIL, with
# their libraries in ARM64_ROOT, those of the emulated arm64 computer), GPIO_ROOT another Debian with its check-gpio,
# HIL_LOGS the folder of the logs.
# Prints each test's figures and a last line "N passed, N failed".
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
: "${TESSERA_BIN:?}" "${HIL_BIN:?}" "${HIL_LOGS:?}"

# NAME SECONDS [VARIABLE=VALUE...]: the longest first. SECONDS is when a test counts as hanging.
quick='game 420
unplug 300 UNPLUGS=3
stop 240 STOP_PRESSES=150
lost 300 ROUNDS=1
camera 150
doctor 150 SILENCE=no
serial 60
gpio 60'
# In their full length.
all="game 1500 PROCESSOR=amd64
game 1500 PROCESSOR=arm64
game 600
game 600 LEVEL=4
$(for seed in $(seq 12); do echo "unplug 600 UNPLUGS=9 SEED=$seed"; done)
stop 900 STOP_PRESSES=2000
lost 300
camera 150
doctor 150
serial 60
gpio 120${GPIO_ROOT:+ GPIO_ROOT=$GPIO_ROOT}"

plan=$quick names=''
known=$(printf '%s\n' "$all" | cut -d' ' -f1 | sort -u | tr '\n' ' ')
for word; do
    case " $known" in
    *" $word "*) names=${names:+$names|}$word ;;
    *)
        [ "$word" = --all ] || {
            echo "hil: there is no test '$word'; there are: $known" >&2
            exit 2
        }
        plan=$all
        ;;
    esac
done
[ -z "$names" ] || plan=$(printf '%s\n' "$plan" | grep -E "^($names) ")

TESSERA_HIL_KERNEL=$("$here/kernel.sh")
export TESSERA_HIL_KERNEL
rm -rf "$HIL_LOGS"
mkdir -p "$HIL_LOGS"

# outside SECONDS env PROCESSOR=... COMMAND: only the robot's computer is a machine, the world stays here.
outside() {
    local seconds=$1 folder job status=0 for_arm64=()
    shift
    folder=$(mktemp -d)
    case " $* " in
    *' PROCESSOR=arm64 '*) for_arm64=("ROBOT_BIN=${ARM64_BIN:?}" "ROBOT_HIL=${ARM64_HIL:?}" "ROBOT_ROOT=${ARM64_ROOT:?}") ;;
    esac
    # timeout leads a group of its own, which Ctrl-C does not reach.
    HIL_RUN=$folder timeout "$seconds" env "${for_arm64[@]}" "$@" &
    job=$!
    trap 'kill "$job"' INT TERM
    wait "$job" || status=$?
    trap - INT TERM
    rm -rf "$folder"
    return "$status"
}

one() { # one SLOT NAME SECONDS [VARIABLE=VALUE...]
    local slot=$1 name=$2 seconds=$3 title log cpus began=$SECONDS status=0
    shift 3
    title="$name${*:+ $*}"
    log=$HIL_LOGS/$name${*:+-$(printf '%s' "$*" | tr -c 'A-Za-z0-9\n' _)}.log
    mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
        awk -F- '{ for (c = $1; c <= (NF > 1 ? $2 : $1); c++) print c }')
    set -- env "$@" TESSERA_BIN="$TESSERA_BIN" HIL_BIN="$HIL_BIN"
    case " $* " in
    *' PROCESSOR='*) outside "$seconds" "$@" "$here/test_$name.sh" ;;
    *) "$here/boot.sh" --time "$seconds" --cpu "${cpus[slot % ${#cpus[@]}]}" -- "$@" "$here/test_$name.sh" ;;
    esac >"$log" 2>&1 || status=$?
    # A test that ended without its last line has failed too.
    if [ $status = 0 ] && ! tail -n 1 "$log" | grep -q '^PASS'; then status=1; fi
    [ $status = 0 ] || grep -q '^FAIL' "$log" || echo "FAIL $name: ended with $status" >>"$log"
    (
        flock 9 # in one piece
        printf '%s\n' "== $title ($((SECONDS - began)) s)" "$(cat "$log")"
    ) 9<"$HIL_LOGS"
}
export -f one outside
export here HIL_LOGS

printf '%s\n' "$plan" | xargs -P "$(nproc)" -L 1 --process-slot-var=SLOT bash -c 'one "$SLOT" "$@"' one
awk '/ came back by themselves/ { back += $1; all += $3; runs++ }
    END { if (runs > 1) printf "unplugged %d times in %d games: %d came back by themselves\n", all, runs, back }' "$HIL_LOGS"/*.log
passed=$(grep -lE '^PASS ' "$HIL_LOGS"/*.log | wc -l || true)
failed=$(grep -lE '^FAIL ' "$HIL_LOGS"/*.log | wc -l || true)
printf '%s passed, %s failed\n' "$passed" "$failed"
[ "$failed" = 0 ] && [ "$passed" != 0 ]
