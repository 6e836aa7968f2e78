#!/usr/bin/env bash
# The camera edge on three drivers: v4l2loopback, uvcvideo, vivid.
. "$(dirname "$0")/lib.sh"

table_up
bad=0
for driver in loopback usb vivid; do
    note "$driver:"
    "$HIL_BIN/check-camera" "$driver" "$frames" >"$run/check" 2>&1 || bad=1
    grep -v '^\[ RUN' "$run/check"
done
[ $bad = 0 ] || fail "see above; $(dmesg | tail -n 3)"
pass
