#!/usr/bin/env bash
# The panel's lines on the kernel's GPIO driver, through the libgpiod of this Debian.
. "$(dirname "$0")/lib.sh"

# Another chip comes first, as on a computer with a port expander: nothing may go by its number.
mkdir -p /sys/kernel/config/gpio-sim/expander/bank0
echo 1 >/sys/kernel/config/gpio-sim/expander/live
gpio_up fan-control
note "$chip is the header; /dev/gpiochip0 is another"
"$HIL_BIN/check-gpio" "$gpio" >"$run/check" 2>&1
code=$?
grep -v '^\[ RUN' "$run/check"
[ $code = 0 ] || fail "see above"
pass
