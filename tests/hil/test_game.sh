#!/usr/bin/env bash
# A whole game through the three real drivers at once: ftdi_sio, uvcvideo, gpio-sim.
. "$(dirname "$0")/lib.sh"

everything_up
play_up --json --seat second --level 2
sleep 3
say press reset
began=$(now_ms)
"$here/person.sh" 1 3 &
person=$!
wait_for "${GAME_SECONDS:-400}" test -s "$run/result"
kill $person 2>/dev/null
wait $robot
code=$?
grep -aE '^ *[0-9]+\. |^= |^! |^\? ' "$run/game" | sed 's/^/  /'
[ $code = 0 ] || fail "the robot ended with $code"
note "$(tr -d '\n' <"$run/result" | sed 's/ \+/ /g; s/.*"counts"/counts/')"
note "$((($(now_ms) - began) / 1000)) s"
note "$(say ledger)"
pass
