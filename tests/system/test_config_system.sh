#!/bin/sh
# The units and man pages hold: the sandbox scores below 1.5 (lower is better), pages format.
set -eu
folder=$TESSERA_SOURCE/config/system
skipped=yes
if command -v systemd-analyze >/dev/null; then
    for unit in tessera tessera-rulesd; do
        # The threshold is in tenths.
        systemd-analyze security --offline=yes --threshold=15 "$folder/$unit.service" >/dev/null ||
            { echo "$unit.service: exposure is above 1.5"; exit 1; }
    done
    skipped=no
fi
if command -v scdoc >/dev/null; then
    for page in "$folder"/*.[168].scd; do
        scdoc <"$page" >/dev/null || { echo "$page does not format"; exit 1; }
    done
    { cat "$folder/tessera.yaml.5.head.scd"; "$TESSERA_BIN/tessera-config" keys --format scdoc; } |
        scdoc >/dev/null
    skipped=no
fi
if [ $skipped = yes ]; then
    echo "neither systemd-analyze nor scdoc is here: skipped"
    exit 77
fi
