#!/usr/bin/env bash
# emulate.sh - runs a command on an emulated computer under Debian's own kernel (debian_kernel.sh), with
# nothing but what QEMU gives a user without privilege.
#
#   emulate.sh amd64|arm64 --share DIR [options] -- COMMAND [ARGUMENTS]
#
#   --root DIR      the computer's root, read-only under memory (/)
#   --tty PATH      the far end of a USB-serial plug, which the computer sees as /dev/ttyUSB0
#   --port N=SOCK   /dev/virtio-ports/N leads to this Unix socket
#   --time S        ends it after S seconds (600)       --memory MB    (768)
#
# DIR is /hil there, writable; the command runs in it, as root, standard input empty. Both output streams
# are emulate.sh's, the exit code, too; 124: time is up, 125: no result (the last messages are shown).
#
# One processor, translated (TCG), even where /dev/kvm can be opened: it need not run this kernel.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
UP=124 DIED=125

die() {
    echo "hil: $*" >&2
    exit "$DIED"
}

arch=${1:?which processor? emulate.sh amd64|arm64 --share DIR -- COMMAND}
shift
share='' root=/ tty='' ports=() seconds=600 memory=768
while [ $# -gt 0 ]; do
    case $1 in
    --share) share=$2 ;;
    --root) root=$2 ;;
    --tty) tty=$2 ;;
    --port) ports+=("$2") ;;
    --time) seconds=$2 ;;
    --memory) memory=$2 ;;
    --) shift; break ;;
    *) die "emulate.sh has no option $1" ;;
    esac
    shift 2
done
[ -n "$share" ] && [ $# -gt 0 ] || die "emulate.sh wants --share DIR and a command"
kernel=$("$here/debian_kernel.sh" "$arch") || die "there is no kernel"
mkdir -p "$share/.hil"
share=$(cd "$share" && pwd)
control=$share/.hil
rm -f "$control"/{code,uptime}
printf '%q ' "$@" >"$control/command"

words="quiet panic=-1 nokaslr mitigations=off random.trust_cpu=on cryptomgr.notests audit=0 apparmor=0"
case $arch in
amd64) # acpi=noirq: half a second less for each interrupt link; reboot=t, because there is no ACPI then
    machine=(qemu-system-x86_64 -M pc -cpu max)
    words="console=ttyS0 reboot=t acpi=noirq no_timer_check $words"
    ;;
arm64) # a Raspberry Pi 4's; 'max' would authenticate pointers, at five times the cost
    machine=(qemu-system-aarch64 -M virt -cpu cortex-a72)
    words="console=ttyAMA0 $words"
    ;;
esac
machine+=(-accel tcg -smp 1 -m "$memory" -nodefaults -no-user-config -no-reboot -display none
    -kernel "$kernel/Image" -initrd "$kernel/initrd" -append "$words"
    -chardev "file,id=console,path=$control/console" -serial chardev:console
    -fsdev "local,id=root,path=$root,security_model=none,readonly=on,multidevs=remap"
    -device virtio-9p-pci,fsdev=root,mount_tag=root
    -fsdev "local,id=hil,path=$share,security_model=none,multidevs=remap"
    -device virtio-9p-pci,fsdev=hil,mount_tag=hil
    -device qemu-xhci,id=usb -device virtio-serial-pci
    -chardev "pipe,id=output,path=$control/output" -device virtserialport,chardev=output,name=output)
[ -z "$tty" ] || machine+=(-chardev "serial,id=tty,path=$tty" -device usb-serial,chardev=tty,bus=usb.0,always-plugged=on)
for port in "${ports[@]}"; do
    machine+=(-chardev "socket,id=${port%%=*},path=${port#*=}"
        -device "virtserialport,chardev=${port%%=*},name=${port%%=*}")
done

rm -f "$control"/output.{in,out}
mkfifo "$control"/output.{in,out} # what QEMU hears, and what it says
cat "$control/output.out" &
printer=$!
began=$SECONDS
"${machine[@]}" </dev/null >"$control/emulator" 2>&1 &
emulator=$!
(
    trap 'kill "$nap" 2>/dev/null; exit' TERM
    sleep "$seconds" & nap=$!
    wait "$nap"
    kill -9 "$emulator"
) >/dev/null 2>&1 &
alarm=$!
finish() {
    kill -9 "$emulator" 2>/dev/null || true
    kill "$alarm" "$printer" 2>/dev/null || true
}
trap finish EXIT
trap 'exit 130' INT TERM
wait "$emulator" 2>/dev/null || true
kill "$alarm" 2>/dev/null || true
: <>"$control/output.out" # it has ended before it opened this: let the printer see an end
wait "$printer" 2>/dev/null || true

if [ -s "$control/code" ]; then
    exit "$(cat "$control/code")"
elif [ $((SECONDS - began)) -ge "$seconds" ]; then
    echo "hil: ended after $seconds s" >&2
    exit "$UP"
fi
echo "hil: the emulated computer ended without a result:" >&2
tail -n 25 "$control/emulator" "$control/console" >&2
exit "$DIED"
