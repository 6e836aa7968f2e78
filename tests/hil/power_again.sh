#!/bin/sh
# power_again.sh - in the machine of power.sh after a cut: the disk as a robot finds it when it starts.
set -eu
export PATH="$PATH:/sbin:/usr/sbin"
status=0
e2fsck -p /dev/ubda >/run/fsck 2>&1 || status=$?
if [ "$status" -gt 1 ]; then
    echo "LOST file system: e2fsck ended with $status"
    cat /run/fsck
    exit 1
fi
mkdir -p /disk
mount -t ext4 /dev/ubda /disk
exec "$(dirname "$0")/power_verify.sh" /disk /hil/promises resume
