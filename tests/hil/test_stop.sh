#!/usr/bin/env bash
# From the emergency stop's contact to the stopping byte on the wire, while the camera is looked at as
# closely as it can be; and what the panel's outputs are when the robot ends, in whatever way.
. "$(dirname "$0")/lib.sh"
presses=${STOP_PRESSES:-200}

outputs() { # what a volt-meter says: pump, valve, lamps
    echo "$(level 5)$(level 6)$(level 24)$(level 25)"
}

everything_up
# More to do for the processor than the robot's own eyes have: pictures read without a pause.
"$TESSERA_BIN/tessera-table" --picture "$run/still.jpg" || fail "no picture"
while :; do "$TESSERA_BIN/tessera" see "$run/still.jpg" >>"$run/seen"; done &
load=$!
play_up --seat both --level 1
# The valve is shut while its line is driven high, and the lamp that asks for help is lit.
wait_for 10 eval '[ "$(outputs)" = 0101 ]' || fail "pump, valve, lamps at the start: $(outputs)"
confirm
wait_for 60 eval '[ "$(level 5)" = 1 ]' || fail "no pump within a minute"

# With the arm on its way and a stone on the cup. The wires would put the contact back.
kill -STOP "$wires"
"$HIL_BIN/stop-latency" "$gpio/sim_gpio17/pull" "$stops" 1 >"$run/first" || fail "$(cat "$run/first")"
note "with the arm under way:"
cat "$run/first"
wait_for 5 in_state stopped || fail "the robot has not stopped"
[ "$(level 25)" = 1 ] || fail "the lamp that asks for help is dark"

# Many more: each press stops again, whatever the robot's state.
"$HIL_BIN/stop-latency" "$gpio/sim_gpio17/pull" "$stops" "$presses" || fail "too slow"
note "meanwhile $(wc -l <"$run/camera") pictures from the camera, $(grep -ac still "$run/seen") more read"
kill $load

kill -TERM "$robot"
wait "$robot"
kill -CONT "$wires"

# The end by a signal while the arm is at work: stop, and let go of everything. Asked twice, because a stone
# on the cup would be put away first.
rm -f "$run/game"
play_up --seat both --level 1 --resume
confirm
wait_for 60 eval '[ "$(level 5)" = 1 ]' || fail "no pump within a minute"
before=$(wc -l <"$stops")
kill -HUP "$robot" # the terminal was closed
pause 0.3
kill -TERM "$robot" 2>/dev/null
wait "$robot"
note "ended by SIGHUP and SIGTERM with $?; pump, valve, lamps: $(outputs)"
[ "$(outputs)" = 0000 ] || fail "an output is still driven"
wait_for 1 eval '[ "$(wc -l <"$stops")" -gt $before ]' || fail "neither SIGHUP nor SIGTERM stops the plotter"

# The end without a word, with the pump on.
rm -f "$run/game"
play_up --seat both --level 1 --resume
confirm
wait_for 60 eval '[ "$(level 5)" = 1 ]' || fail "no pump within a minute"
kill -KILL "$robot"
wait "$robot" 2>/dev/null
[ "$(outputs)" = 0000 ] || fail "after SIGKILL an output is still driven: $(outputs)"
note "killed with the pump on; pump, valve, lamps: $(outputs)"
pass
