#!/bin/sh
# emulated_robot.sh CAMERA-SIZE ARGUMENTS... - on the computer of emulated.sh: plugs in what hangs on it, and
# plays. Runs in the shared folder, with busybox for a shell.
camera_size=$1
shift
run=/run
. ./computer.sh
uname -srm
gpio_up
./panel-wires /dev/virtio-ports/panel "$gpio" &
./usb-camera 0 /dev/virtio-ports/frames /hil/camera "$camera_size" &
for _ in $(seq 100); do
    port=$(serial_port) && device=$(camera_device) && break
    sleep 0.2
done
if [ -z "$port" ] || [ -z "$device" ]; then
    echo "no plotter (${port:-none}) or no camera (${device:-none}):"
    dmesg | tail -n 20
    exit 1
fi
settings
./tessera play --config "$run/tessera.yaml" --state "$run/state" --verbose "$@" \
    </dev/null >/run/result 2>/hil/game
code=$?
cp /run/result /hil/result.new && mv /hil/result.new /hil/result # in one step
exit $code
