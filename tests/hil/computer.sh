# shellcheck shell=sh
# computer.sh - what the computer inside a kernel of these tests has: its GPIO chip, the names of its devices,
# the robot's settings. POSIX sh, since an emulated one has no other; sourced.
#
# run           the folder of the settings      gpio, chip   set by gpio_up
# camera_size   WxH@RATE of the camera, if it is not the usual

# A chip like a Raspberry Pi's, its lines named as the settings' samples do.
gpio_up() { # gpio_up [HOLDER]: who has line 12
    local config=/sys/kernel/config/gpio-sim/header i
    mkdir "$config" "$config/bank0"
    echo 28 >"$config/bank0/num_lines"
    echo pinctrl-bcm2711 >"$config/bank0/label"
    for i in $(seq 0 27); do
        mkdir "$config/bank0/line$i"
        echo "GPIO$i" >"$config/bank0/line$i/name"
    done
    if [ $# -gt 0 ]; then
        mkdir "$config/bank0/line12/hog"
        echo "$1" >"$config/bank0/line12/hog/name"
        echo output-low >"$config/bank0/line12/hog/direction"
    fi
    echo 1 >"$config/live"
    chip=$(cat "$config/bank0/chip_name")
    gpio=/sys/devices/platform/$(cat "$config/dev_name")/$chip
}

serial_port() { # the newest ttyUSB, "" = none
    local found
    found=$(ls -t /dev/ttyUSB* 2>/dev/null | head -n 1)
    [ -n "$found" ] && echo "$found"
}

camera_device() { # uvcvideo makes two nodes; the first is the pictures'
    local node
    for node in /sys/class/video4linux/video*; do
        if grep -q 'Table camera' "$node/name" && [ "$(cat "$node/index")" = 0 ]; then
            echo "/dev/${node##*/}"
            return
        fi
    done
    return 1
}

camera_lines() {
    # shellcheck disable=SC2046 # three words are meant
    [ -z "${camera_size:-}" ] || printf '  width: %s\n  height: %s\n  fps: %s\n' $(echo "$camera_size" | tr 'x@' '  ')
}

# settings [LINES...]: writes the file; what is not said here has its default. A line of gpio-sim has
# one pull, the contact's: a resistor of the computer's own would take its place.
settings() {
    cat >"$run/tessera.yaml" <<YAML
serial:
  port: "${port:-/dev/ttyUSB0}"
camera:
  device: "${device:-/dev/video1}"
$(camera_lines)
gpio:
  button-done:
    bias: none
  button-reset:
    bias: none
  estop:
    bias: none
  pick-sensor:
    bias: none
  valve:
    active_low: true
${1:-}
YAML
}
