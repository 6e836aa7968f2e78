# shellcheck shell=bash
# lib.sh - what the tests inside the kernel share: the table, its cables, the robot. Sourced by them.
#
# TESSERA_BIN   the release programs        HIL_BIN   the far ends (build/<preset>/hil)
# Every test prints figures as it goes and ends with one line "PASS NAME" or "FAIL NAME: why".
set -u
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
: "${TESSERA_BIN:?}" "${HIL_BIN:?}"
run=${HIL_RUN:-/run/hil}
state=$run/state
panel=$run/panel
frames=$run/frames
plotter=$run/plotter # the simulated firmware's tty
stops=$run/stops     # bytes that stop the machine, as they left the plug
name=$(basename "$0" .sh)
name=${name#test_}
mkdir -p "$run"

# shellcheck source=tests/hil/computer.sh
. "$here/computer.sh"

now_ms() { # since the boot
    local up rest
    read -r up rest </proc/uptime
    echo $((10#${up/./} * 10))
}

note() { printf '  %s\n' "$*"; }

pass() {
    printf 'PASS %s\n' "$name"
    exit 0
}

fail() {
    printf 'FAIL %s: %s\n' "$name" "$*"
    [ ! -s "$run/game" ] || { echo '--- the robot said:'; tail -n "${LOG_LINES:-25}" "$run/game"; }
    [ ! -s "$run/far" ] || { echo '--- the far ends said:'; tail -n 5 "$run/far"; }
    exit 1
}

check() { # check WHY COMMAND...: fails the test unless the command succeeds
    local why=$1
    shift
    "$@" || fail "$why"
}

# In this kernel a process costs 10 ms, so what is done over and over is done without any.
exec {nap}<> <(:) # nothing ever comes from it
pause() { read -r -t "$1" -u "$nap" || true; }

# wait_for SECONDS COMMAND...: until it succeeds; SLOWNESS (1) times as long where all takes longer
wait_for() {
    local until=$((${EPOCHREALTIME/[.,]/} + ${1%.*} * 1000000 * ${SLOWNESS:-1}))
    shift
    until "$@" >/dev/null 2>&1; do
        [ "${EPOCHREALTIME/[.,]/}" -lt "$until" ] || return 1
        pause 0.05
    done
}

say() { "$HIL_BIN/panel-say" "$panel" "$@"; }

pull() { echo "pull-$2" >"$gpio/sim_gpio$1/pull"; } # pull LINE up|down
level() { cat "$gpio/sim_gpio$1/value"; }
is_level() { # is_level LINE VALUE
    local value
    read -r value <"$gpio/sim_gpio$1/value" && [ "$value" = "$2" ]
}

# --- the table and its cables

table_up() { # table_up [OPTIONS]
    "$TESSERA_BIN/tessera-table" --panel "$panel" --frames "$frames" --link "$plotter" \
        ${camera_size:+--camera "$camera_size"} "$@" \
        >"$run/table" 2>&1 &
    table=$!
    wait_for 10 test -S "$panel" || fail "the table does not start: $(cat "$run/table")"
}

wires_up() {
    "$HIL_BIN/panel-wires" "$panel" "$gpio" 2>>"$run/far" &
    wires=$!
}

plug_plotter() {
    "$HIL_BIN/usb-plotter" 0 "$plotter" "$stops" 2>>"$run/far" &
    cable=$!
}

unplug_plotter() {
    kill -9 "$cable"
    wait "$cable" 2>/dev/null
}

plug_camera() {
    "$HIL_BIN/usb-camera" 1 "$frames" "$run/camera" ${camera_size:+"$camera_size"} 2>>"$run/far" &
    camera=$!
}

unplug_camera() {
    kill -9 "$camera"
    wait "$camera" 2>/dev/null
}

# --- the robot

play_up() { # play_up [ARGUMENTS]
    "$TESSERA_BIN/tessera" play --config "$run/tessera.yaml" --state "$state" --verbose "$@" \
        </dev/null >"$run/result" 2> >(exec "$HIL_BIN/line-times" "$run/times" >"$run/game") &
    robot=$!
}

# A person presses reset once the robot asks for it, and again when nothing comes of it.
confirm() {
    local _
    wait_for 30 said 'reset button' || fail "the robot does not ask to be confirmed"
    for _ in 1 2 3; do
        say 'press reset' >/dev/null
        wait_for 5 eval '! in_state stopped' && return
    done
    fail "the robot does not start"
}

in_state() { # in_state STATE: is that the last one it has told?
    local lines i
    mapfile -t lines <"$run/game"
    for ((i = ${#lines[@]} - 1; i >= 0; i--)); do
        [[ ${lines[i]} != '  ['* ]] || break
    done
    [ "$i" -ge 0 ] && [ "${lines[i]}" = "  [$1]" ]
}
times_told() { # times_told LINE: sets told
    local lines i
    mapfile -t lines <"$run/game"
    told=0
    for i in "${!lines[@]}"; do
        [ "${lines[i]}" != "$1" ] || told=$((told + 1))
    done
}
said() { grep -aqE "$1" "$run/game"; }

everything_up() { # all three drivers, and the robot waiting for somebody to confirm
    gpio_up ${line_holder:+"$line_holder"}
    table_up "${@:2}"
    wires_up
    plug_plotter
    plug_camera
    wait_for 10 serial_port || fail "no ttyUSB: $(dmesg | tail -n 5)"
    wait_for 10 camera_device || fail "no camera: $(dmesg | tail -n 5)"
    port=$(serial_port) device=$(camera_device)
    settings "${1:-}"
}
