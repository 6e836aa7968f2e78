#!/usr/bin/env bash
# The plotter's cable on the kernel's ftdi_sio: the line itself.
. "$(dirname "$0")/lib.sh"

"$HIL_BIN/check-serial" >"$run/check" 2>&1
code=$?
grep -v '^\[ RUN' "$run/check"
[ $code = 0 ] || fail "see above; $(dmesg | tail -n 3)"
pass
