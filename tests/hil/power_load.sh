#!/bin/sh
# power_load.sh - what runs in the machine of power.sh until its power is cut: three loads on one disk.
# POWER_UNSAFE is preloaded into the programs, if it is set.
set -eu
mkdir -p /disk
mount -t ext4 /dev/ubda /disk
mkdir -p /disk/robot
[ -z "${POWER_UNSAFE:-}" ] || export LD_PRELOAD="$POWER_UNSAFE"
"$HIL_BIN/power-work" moves /disk/moves /dev/ubda &
"$HIL_BIN/power-work" calibration /disk/calibration.json /dev/ubda &
"$TESSERA_BIN/tessera" play --sim --auto --level 2 --seed "$1" --state /disk/robot 2>&1 |
    "$HIL_BIN/power-work" told /dev/ubda &
echo yes >/hil/started
wait
