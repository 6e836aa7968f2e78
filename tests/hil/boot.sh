#!/usr/bin/env bash
# boot.sh - runs a command inside the kernel of the tests: a user-mode Linux, an ordinary process that
# boots in half a second, needs no privilege, and has the real GPIO, USB, serial and camera drivers.
#
#   boot.sh [options] [--] COMMAND [ARGUMENTS]
#
#   --time S       ends it after S seconds (60)       --memory MB    (512)
#   --share DIR    a host's folder, writable, as /hil (a temporary one)
#   --disk FILE    an image, as /dev/ubda             --append TEXT  more on the kernel's command line
#   --cpu N        the processor it runs on (one of those allowed)
#   --verbose      the kernel's messages on standard error in the end
#
# The command finds the host's whole file system at the same paths. All it changes is forgotten,
# except in /hil. It runs as root in the current folder with standard input empty; its output (both
# streams) and its exit code are boot.sh's. Without a result the code is 124 (time is up) or
# 125 (no kernel, or it died; its last messages are shown).
#
# A power cut: kill -9 -- -$(cat DIR/.hil/group) ends the machine between two instructions.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
UP=124 DIED=125

die() {
    echo "hil: $*" >&2
    exit "$DIED"
}

seconds=60 memory=512 share='' disk='' append='' cpu='' verbose=''
while [ $# -gt 0 ]; do
    case $1 in
    --time) seconds=$2; shift ;;
    --memory) memory=$2; shift ;;
    --share) share=$2; shift ;;
    --disk) disk=$2; shift ;;
    --append) append=$2; shift ;;
    --cpu) cpu=$2; shift ;;
    --verbose) verbose=yes ;;
    --) shift; break ;;
    -*) die "boot.sh has no option $1" ;;
    *) break ;;
    esac
    shift
done
[ $# -gt 0 ] || die "which command? boot.sh [options] [--] COMMAND [ARGUMENTS]"
command -v busybox >/dev/null || die "busybox is missing: apt-get install busybox-static"
kernel=${TESSERA_HIL_KERNEL:-$("$here/kernel.sh")} || die "there is no kernel"

own=''
[ -n "$share" ] || share=$(mktemp -d) own=$share
mkdir -p "$share/.hil"
share=$(cd "$share" && pwd)
control=$share/.hil
rm -f "$control"/{code,group,uptime}
printf '%q ' "$@" >"$control/command"
pwd >"$control/folder"

# The kernel and the process it runs take turns. On one processor a turn takes 10 us, between two idle
# ones ten times that, so the machine stays on one: two machines may have one each.
if [ -z "$cpu" ]; then
    mapfile -t cpus < <(taskset -cp $$ | sed 's/.*: //' | tr ',' '\n' |
        awk -F- '{ for (c = $1; c <= (NF > 1 ? $2 : $1); c++) print c }')
    cpu=${cpus[RANDOM % ${#cpus[@]}]}
fi

arguments=("mem=${memory}M" root=/dev/root rootfstype=hostfs rootflags=/ ro panic=-1 loglevel=5
    # Standard output belongs to the command, standard error to the kernel.
    con=null con0=null,fd:1 ssl=null ssl0=null,fd:2 console=ttyS0
    "uml_dir=$control/uml" umid=machine
    # One USB bus for the plotter, one for the camera.
    dummy_hcd.num=2
    # /dev/video0 shows what is written to it. Four buffers, because readers ask for four.
    v4l2loopback.video_nr=0 v4l2loopback.max_buffers=4 v4l2loopback.exclusive_caps=1 v4l2loopback.card_label=loopback
    # /dev/video10 is the driver that fails to order.
    vivid.n_devs=1 vivid.vid_cap_nr=10 vivid.node_types=0x1 vivid.num_inputs=1 vivid.input_types=0x00
    "HIL_SHARE=$share" init=/bin/sh)
[ -z "$disk" ] || arguments+=("ubd0=$disk")
# shellcheck disable=SC2206 # several words are meant
[ -z "$append" ] || arguments+=($append)

# They travel on the kernel's command line, which is split at blanks.
for path in "$here" "$share" "$disk"; do
    case $path in *[[:space:]]*) die "this kernel can't be told of a path with a blank in it: $path
Clone the project to a folder without one, and let TMPDIR be one, too." ;; esac
done

began=$SECONDS
# A session of its own, so that one signal reaches the kernel and every process it traces.
setsid taskset -c "$cpu" "$kernel" "${arguments[@]}" -- "$here/init.sh" </dev/null 2>"$control/console" &
machine=$!
echo "$machine" >"$control/group"
(
    trap 'kill "$nap" 2>/dev/null; exit' TERM
    sleep "$seconds" & nap=$!
    wait "$nap"
    kill -9 -- -"$machine"
) >/dev/null 2>&1 &
alarm=$!
finish() {
    kill -9 -- -"$machine" 2>/dev/null || true
    kill "$alarm" 2>/dev/null || true
    [ -z "$own" ] || rm -rf "$own"
}
trap finish EXIT
trap 'exit 130' INT TERM
wait "$machine" 2>/dev/null || true

[ -z "$verbose" ] || cat "$control/console" >&2
if [ -s "$control/code" ]; then
    exit "$(cat "$control/code")"
elif [ $((SECONDS - began)) -ge "$seconds" ]; then
    echo "hil: ended after $seconds s" >&2
    exit "$UP"
fi
echo "hil: the kernel ended without a result:" >&2
tail -n 25 "$control/console" >&2
exit "$DIED"
