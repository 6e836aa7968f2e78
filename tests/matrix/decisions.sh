#!/bin/sh
# decisions.sh BIN: what the programs in BIN decide, as text that must be the same on every machine:
# exact counts of the rules, checksums of random games, moves of the engine, replays of recorded
# sessions, a whole game on the simulated table, and positions read off pictures. No times in it.
# Everything that fails is in the text, too; exit 1 then.
set -u
bin=$1
tree=$(CDPATH='' cd -- "$(dirname -- "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work/state" XDG_RUNTIME_DIR="$work"
status=0

show() { # show COMMAND...: what it prints, under its name
    printf '## %s\n' "$*" | sed "s|$bin/||; s|$tree/||; s|$work/||"
    "$@" 2>"$work/told" || {
        printf 'ended with %s: %s\n' "$?" "$(tail -n 3 "$work/told")"
        status=1
    }
}

# --- rules: exact counts, and games of random moves with all that comes of them
show "$bin/tessera-engine" perft generator
for game in 'pente-free 7 3' 'pente 19 2' 'keryo 9 3' 'connect6 9 2' 'pentago 6 3'; do
    # shellcheck disable=SC2086
    show "$bin/tessera-engine" perft $game
done
for game in pente keryo pentago gomoku connect6; do
    show "$bin/tessera-engine" playouts "$game" 200
done

# --- the engine: as many nodes on every machine, so the same moves
show "$bin/tessera-engine" --nodes 3000 --seed 7 <<'GTP'
boardsize 19
play black K10
genmove white
genmove black
genmove white
genmove black
genmove white
showboard
quit
GTP
show "$bin/tessera-engine" --variant pentago --nodes 3000 --seed 7 <<'GTP'
genmove black
genmove white
genmove black
quit
GTP

# --- settings: numbers with units, read and written
show "$bin/tessera-config" keys
show "$bin/tessera-config" check "$tree/config/samples/tessera.yaml"
show "$bin/tessera-config" --config "$tree/config/samples/sim.yaml" show --origin

# --- recorded sessions: everything the robot saw and was told, and the same decisions out of it
if [ "${DECISIONS_SESSIONS:-yes}" = yes ]; then
    for session in "$tree"/tests/sessions/*/; do
        show "$bin/tessera" replay "${session%/}" --check
    done
fi

# --- a whole game: physics, pictures, eyes, arm and engine together
if [ "${DECISIONS_GAME:-yes}" = yes ]; then
    show "$bin/tessera" play --sim --auto --seed 7 --state "$work/game"
fi

# --- photographs: the position in each, without the likelihoods
for picture in ${DECISIONS_PICTURES:-}; do
    # Not through a pipe: what fails in one is not known outside it.
    show "$bin/tessera" see --json "$picture" >"$work/position"
    sed -E 's/"(confidence|corners)":\[(\[[^]]*\],?)*\],?//g' "$work/position"
done
exit "$status"
