#!/bin/sh
# power_verify.sh FOLDER PROMISES [resume [behind]] - what a power cut has left, brought back into FOLDER: is
# all there that had been promised, and with `resume`, does the game on the table go on to its end?
set -eu
folder=$1
promises=$2
"$HIL_BIN/power-check" "$folder" "$promises"
[ $# -gt 2 ] || exit 0
told=$(sed -n '3s/^game - [0-9]* *//p' "$promises")
if [ -z "$told" ]; then # nothing had been told yet, so there need be no game
    exit 0
fi
# shellcheck disable=SC2086
"$HIL_BIN/power-table" "$folder/robot" ${4:-} || {
    [ $? = 3 ] || exit 1
    exit 0 # the game was over, and there is none to go on with
}
told_why=$folder/resume.log
result=$("$TESSERA_BIN/tessera" play --resume --state "$folder/robot" --json --quiet 2>"$told_why") || {
    echo "LOST game: it does not go on (exit $?)"
    tail -n 5 "$told_why"
    exit 1
}
case $(printf '%s' "$result" | tr -d '" \n' | sed 's/.*moves:\[\([^]]*\)\].*/\1/; s/,/ /g') in
"$told "* | "$told") ;;
*)
    echo "LOST game: it went on otherwise than it had begun: $told; $result"
    exit 1
    ;;
esac
echo "the game went on after move $(echo "$told" | wc -w) to its end"
