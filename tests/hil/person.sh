#!/usr/bin/env bash
# person.sh COLOUR LEVEL - the person at the table of lib.sh: reads what the robot says, thinks with an
# engine of his own, lays the stone with his hand and presses the button. Ends with the game.
. "$(dirname "$0")/lib.sh"
colour=$1 level=$2
coproc BRAIN { "$TESSERA_BIN/tessera-engine" --gtp --level "$level" --seed 5 2>/dev/null; }

think() { # think COMMAND: the engine's answer
    local line answer=''
    echo "$1" >&"${BRAIN[1]}"
    while read -r line <&"${BRAIN[0]}" && [ -n "$line" ]; do answer=${line#=}; done
    echo "${answer# }"
}

sides=('' black white)
known=0
think 'tessera-set_game pente' >/dev/null

# What the robot has announced since we last listened: "  3. X blue K10, captures …".
listen() {
    local number _ point
    while read -r number _ _ point _; do
        number=${number%.}
        [ "$number" -gt "$known" ] || continue
        known=$number
        think "play ${sides[(number - 1) % 2 + 1]} ${point%,}" >/dev/null
    done < <(grep -aE '^ *[0-9]+\. ' "$run/game")
}

my_turn() { [ $((known % 2 + 1)) = "$colour" ] && [ "$(say get lamp-turn)" = 1 ]; }

while [ ! -s "$run/result" ]; do
    listen
    if ! my_turn; then
        sleep 0.1
        continue
    fi
    before=$known
    point=$(think "genmove ${sides[colour]}")
    think undo >/dev/null # it counts when the robot has seen it
    letter=${point%%[0-9]*}
    columns=ABCDEFGHJKLMNOPQRST
    column=${columns%%"$letter"*}
    laid=$(say --wait person place "$colour" ${#column} $((${point#"$letter"} - 1)) press 2>&1)
    echo "$(now_ms) ms: $point: $laid" >>"$run/person"
    # He waits; then he looks, and presses again.
    wait_for 20 eval 'listen; [ "$known" != "$before" ]' || say 'press done'
done
