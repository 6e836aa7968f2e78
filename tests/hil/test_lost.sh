#!/usr/bin/env bash
# What goes missing in the middle of a game. The camera, pulled out, frozen, plugged in again: the robot
# says so, does not move blindly, believes no old picture, and goes on by itself. Bytes of the plotter's cable, and
# some that nobody sent: the robot goes on, and no stone is lost. The chip of the panel with the emergency
# stop: the robot stops.
. "$(dirname "$0")/lib.sh"

lost='the camera is gone|sends no pictures'
times_lost() { grep -acE "$lost" "$run/game"; }
goes_on() { [ "$(grep -ac 'placing' "$run/game")" -gt "$placed" ]; }
quiet_arm() { # the tool does not move while the robot is blind
    local before
    sleep 1 # what was under way ends
    before=$(grep -ac 'placing' "$run/game")
    sleep 9 # in play a stone follows each 6 to 7 s
    [ "$before" = "$(grep -ac 'placing' "$run/game")" ]
}

everything_up
play_up --seat both --level 1 --variant gomoku
confirm
wait_for 90 said 'placing' || fail "the game does not begin"

for round in $(seq "${ROUNDS:-2}"); do
    # Pulled out: the device is gone, and comes back.
    before=$(times_lost)
    began=$(now_ms)
    unplug_camera
    wait_for 5 eval '[ "$(times_lost)" -gt $before ]' || fail "the camera's loss was not noticed"
    note "$round: unplugged, said after $(($(now_ms) - began)) ms"
    quiet_arm || fail "the robot goes on without its camera"
    placed=$(grep -ac 'placing' "$run/game")
    began=$(now_ms)
    plug_camera
    wait_for 90 goes_on || fail "the robot does not go on with its camera"
    note "$round: plugged in, next stone after $((($(now_ms) - began) / 1000)) s"

    # Frozen: the device is there, no picture comes.
    before=$(times_lost)
    began=$(now_ms)
    kill -STOP "$camera"
    wait_for 8 eval '[ "$(times_lost)" -gt $before ]' || fail "a camera that sends nothing was not noticed"
    note "$round: frozen, said after $(($(now_ms) - began)) ms"
    quiet_arm || fail "the robot goes on with a frozen picture"
    placed=$(grep -ac 'placing' "$run/game")
    kill -CONT "$camera"
    wait_for 90 goes_on || fail "the robot does not go on after the camera froze"
done

# Noise and gaps while the arm is at work, at the end of the real cable.
for fault in 'noise-out 60' 'lose-bytes-out 9' 'lose-bytes-in 9' 'wrong-baud 1'; do
    wait_for 90 in_state working || fail "the robot does not go on before $fault"
    placed=$(grep -ac 'placing' "$run/game")
    before=$(wc -l <"$run/game")
    began=$(now_ms)
    say "fault $fault" >/dev/null || fail "the table has no fault $fault"
    [ "$fault" != 'wrong-baud 1' ] || { sleep 2 && say 'fault wrong-baud 0' >/dev/null; }
    wait_for 120 goes_on || fail "the robot does not go on after $fault"
    note "$fault: next stone after $((($(now_ms) - began) / 1000)) s$(tail -n "+$((before + 1))" "$run/game" |
        sed -n 's/^! \(placing[^:]*: \)\{0,1\}\([^.]*\)\..*/; said: \2/p' | sed -n 1p)"
done
say ledger | grep -q 'incidents 0$' || fail "$(say ledger)"

# No edge comes of a chip that goes away, so only reading it tells.
before=$(wc -l <"$stops")
began=$(now_ms)
echo 0 >/sys/kernel/config/gpio-sim/header/live
wait_for 3 said 'GPIO lines of the panel are gone' || fail "the robot does not miss its emergency stop"
note "panel gone: said after $(($(now_ms) - began)) ms"
wait_for 2 in_state stopped || fail "the robot goes on without its emergency stop"
wait_for 2 eval '[ "$(wc -l <"$stops")" -gt $before ]' || fail "no stopping byte"
say ledger | grep -q 'incidents 0$' || fail "$(say ledger)"
note "$(say ledger)"
pass
