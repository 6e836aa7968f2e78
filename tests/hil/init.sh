#!/bin/sh
# init.sh - the first process of the kernel that boot.sh starts. HIL_SHARE (from the kernel's command
# line) is the shared folder; its .hil holds the command and receives the exit code.
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8

off() {
    sync
    exec busybox poweroff -f
}

if [ "${1:-}" != above ]; then
    # The host's root read-only below, memory above: nothing that happens here reaches the host.
    mount -t proc proc /proc
    mount -t tmpfs -o size=75% above /mnt
    mkdir /mnt/upper /mnt/work /mnt/root
    mount -t overlay -o lowerdir=/,upperdir=/mnt/upper,workdir=/mnt/work root /mnt/root || off
    mkdir -p /mnt/root/hil
    mount -t hostfs -o "$HIL_SHARE" share /mnt/root/hil || off
    mount -t proc proc /mnt/root/proc
    exec chroot /mnt/root /bin/sh "$0" above
fi

mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
mkdir -p /dev/pts /dev/shm
ln -s /proc/self/fd /dev/fd
mount -t devpts -o ptmxmode=666 devpts /dev/pts
mount -t tmpfs shm /dev/shm
mount -t tmpfs run /run
mount -t configfs configfs /sys/kernel/config
mount -t debugfs debugfs /sys/kernel/debug
busybox hostname hil
busybox stty raw -echo -F /dev/tty0
unset HIL_SHARE TERM
cut -d' ' -f1 /proc/uptime >/hil/.hil/uptime
cd "$(cat /hil/.hil/folder)" || cd /

# By the shell that has quoted it.
# Through a pipe, since the console is a terminal and programs behave otherwise on one.
mkfifo /run/output
cat /run/output >/dev/tty0 &
printer=$!
setsid -w bash /hil/.hil/command </dev/null >/run/output 2>&1
echo $? >/run/code

for process in /proc/[0-9]*; do
    process=${process#/proc/}
    case $process in $$ | "$printer") ;; *) kill -9 "$process" 2>/dev/null ;; esac
done
wait "$printer"
# Last, and in one step: a code is a promise that all the output is out.
cp /run/code /hil/.hil/code.new && mv /hil/.hil/code.new /hil/.hil/code
off
