# shellcheck shell=bash
# emulated.sh - lib.sh's table and robot when the robot's computer is an emulated one under Debian's own kernel.
# Table and person stay outside, where time is the world's and a processor is ten times as fast: the plotter hangs
# on QEMU's own FT232, the panel's wires and the pictures come in by two virtio ports.
#
# PROCESSOR              amd64 or arm64
# ROBOT_BIN, ROBOT_HIL   the programs for it and the far ends, if they are not this computer's
# ROBOT_ROOT             a root with their libraries

SLOWNESS=8
camera_size=640x360@4 # what the emulated processor can look at in time
table='' robot=''
trap 'kill $table $robot 2>/dev/null' EXIT

# copy FOLDER NAME...: programs to where the computer sees them; those for another processor have a suffix.
copy() {
    local from=$1 program
    shift
    for program; do
        cp "$from/$program.arm64" "$run/$program" 2>/dev/null || cp "$from/$program" "$run/$program" || exit 1
    done
}

everything_up() {
    copy "${ROBOT_BIN:-$TESSERA_BIN}" tessera tessera-rulesd tessera-engine
    copy "${ROBOT_HIL:-$HIL_BIN}" panel-wires usb-camera
    copy "$here" computer.sh emulated_robot.sh
    table_up
}

play_up() {
    "$here/emulate.sh" "$PROCESSOR" --share "$run" --root "${ROBOT_ROOT:-/}" --tty "$plotter" \
        --port "panel=$panel" --port "frames=$frames" --time 3000 -- \
        /bin/sh ./emulated_robot.sh "$camera_size" "$@" >"$run/computer" 2>&1 &
    robot=$!
    wait_for 15 test -s "$run/game" || fail "the robot does not start: $(tail -n 5 "$run/computer")"
    note "$(grep ^Linux "$run/computer"), boot $(cat "$run/.hil/uptime") s"
}
