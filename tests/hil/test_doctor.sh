#!/usr/bin/env bash
# What people are told when a cable is wrong: on the real drivers.
. "$(dirname "$0")/lib.sh"

line_holder=fan-control # has line 12
everything_up '' --strict-baud
doctor() { "$TESSERA_BIN/tessera" doctor --config "$run/tessera.yaml" 2>&1; }
config() { "$TESSERA_BIN/tessera-config" "$@" --config "$run/tessera.yaml" 2>&1; }
arm() { timeout 60 "$TESSERA_BIN/tessera" arm "$@" --config "$run/tessera.yaml" 2>&1; }
must_say() { # must_say TEXT PATTERN
    printf '%s\n' "$1" | grep -qiE "$2" || fail "nothing about \"$2\" in: $1"
    note "$(printf '%s\n' "$1" | grep -iE "$2" | head -n 1 | cut -c1-140)"
}

must_say "$(doctor)" "good.*plotter.*$port"
must_say "$(doctor)" "good.*camera.*$device"
must_say "$(doctor)" 'good.*pictures.*MJPG of 1280 x 720'
sed -i 's|^camera:|camera:\n  width: 1000\n  height: 700|' "$run/tessera.yaml"
must_say "$(doctor)" 'gives MJPG of 1280 x 720, not MJPG of 1000 x 700'
settings
must_say "$(doctor)" 'good.*GPIO lines are there and free'
settings '  lamp-turn:
    line: GPIO12'
must_say "$(doctor)" 'bad.*GPIO line GPIO12 is used by fan-control'
settings
must_say "$(config ports)" 'FT232R'
must_say "$(config ports)" 'Table camera'
must_say "$(arm status)" 'travel 600 x 540'

# Programs that take serial ports for themselves, by their names.
for thief in brltty ModemManager; do
    cp /bin/sleep "$run/$thief"
    "$run/$thief" 1000 &
    must_say "$(config doctor)" "$thief runs"
    kill $!
done

# Who has the port?
play_up --seat both
wait_for 10 test -s "$run/game"
sleep 1
must_say "$(arm status)" "in use by tessera"
must_say "$(doctor)" "good.*GPIO lines are there and used by tessera"
kill "$robot"
wait "$robot"
rm -f "$run/game"

# The wrong speed. Plugged in with it, noise is what comes of the greeting; later nothing comes.
sed -i 's|^serial:|serial:\n  baud: 57600|' "$run/tessera.yaml"
unplug_plotter
wait_for 5 eval '! serial_port'
plug_plotter
wait_for 5 serial_port || fail "no ttyUSB"
must_say "$(arm status)" 'makes no sense: is 57600 baud'
must_say "$(arm status)" 'nothing comes from.*57600 baud.*its speed'
settings

# Silence.
if [ "${SILENCE:-yes}" = yes ]; then
    say fault stall-replies 3600
    must_say "$(arm status)" 'nothing comes'
fi
unplug_plotter
wait_for 5 eval '! serial_port'
must_say "$(arm status)" 'plugged in'
must_say "$(doctor)" 'bad.*plotter'
pass
