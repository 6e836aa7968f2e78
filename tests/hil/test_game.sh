#!/usr/bin/env bash
# A whole game through the three real drivers at once: ftdi_sio, uvcvideo, gpio-sim. With PROCESSOR (amd64,
# arm64) on an emulated computer of that kind under Debian's own kernel.
. "$(dirname "$0")/lib.sh"
# shellcheck source=tests/hil/emulated.sh
[ -z "${PROCESSOR:-}" ] || . "$here/emulated.sh"

least_moves=12

# One game; 0 when it was long enough and stones were captured.
game() { # game SEED
    rm -f "$run/result" "$run/game"
    play_up --json --seat second --level "${LEVEL:-2}" --seed "$1"
    confirm
    "$here/person.sh" 1 3 &
    local person=$! began code
    began=$(now_ms)
    wait_for "${GAME_SECONDS:-400}" test -s "$run/result" || {
        cat "$run/person"
        say truth | tr / '\n'
        fail "the game is not over"
    }
    wait $person
    wait "$robot"
    code=$?
    grep -aE '^ *[0-9]+\. |^= |^! |^\? ' "$run/game" | sed 's/^/  /'
    [ $code = 0 ] || fail "the robot ended with $code"
    note "$((($(now_ms) - began) / 1000)) s; $(figures | tr -d '\n ')"
    # What lies on the table is what was played.
    [ "$(say truth)" = "$(sed -n '/"board"/,/\]/s/.*"\([.1-4]*\)",*$/\1/p' "$run/result" | paste -sd/)" ] ||
        fail "the board is not what was played: $(say truth)"
    say ledger | grep -q 'incidents 0$' || fail "$(say ledger)"
    [ "$(figure moves)" -ge $least_moves ] && [ "$(figure captured)" -ge 2 ]
}

figures() { sed -n '/"counts"/,/}/p' "$run/result"; }
figure() { figures | sed -n "s/.*\"$1\": \([0-9]*\).*/\1/p"; }

everything_up
game 1 || {
    # Seldom, a person wins soon and takes nothing. The board is cleared for another game.
    note "a short game; once more"
    for stone in $(say truth | tr / '\n' | awk '{ for (i = 1; i <= length($0); i++)
        if (substr($0, i, 1) != ".") print i - 1 "," 19 - NR }'); do
        say take "${stone%,*}" "${stone#*,}" >/dev/null
    done
    game 2 || fail "again fewer than $least_moves moves, or nothing was captured"
}
pass
