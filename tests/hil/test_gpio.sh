#!/usr/bin/env bash
# The panel's lines on the kernel's GPIO driver, through the libgpiod of this Debian, and with GPIO_ROOT (which
# tests/matrix/debian.sh --check-gpio makes) through that of another Debian: the answers have to be the same.
. "$(dirname "$0")/lib.sh"

answers() { sed -n 's/^\[ *\(OK\|FAILED\) *\] /\1 /p' "$1"; }

# judge FILE STATUS: shows what the checks said
judge() {
    grep -v '^\[ RUN' "$1"
    [ "$2" = 0 ] || fail "see above"
}

# Another chip comes first, as on a computer with a port expander: nothing may go by its number.
mkdir -p /sys/kernel/config/gpio-sim/expander/bank0
echo 1 >/sys/kernel/config/gpio-sim/expander/live
gpio_up fan-control
note "$chip is the header; /dev/gpiochip0 is another"
"$HIL_BIN/check-gpio" "$gpio" >"$run/check" 2>&1
judge "$run/check" $?

if [ -n "${GPIO_ROOT:-}" ]; then
    for place in proc sys dev; do mount --rbind /$place "$GPIO_ROOT/$place"; done
    chroot "$GPIO_ROOT" /check-gpio "$gpio" >"$run/other" 2>&1
    judge "$run/other" $?
    [ "$(answers "$run/check")" = "$(answers "$run/other")" ] || fail "the two libraries behave otherwise"
    note "$(answers "$run/check" | wc -l) answers of two libraries are the same"
fi
pass
