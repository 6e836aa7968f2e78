#!/bin/busybox sh
# The first process of Debian's kernel when emulate.sh starts it: loads the drivers, makes a root that
# forgets, and runs /hil/.hil/command. The shared folder is /hil, where the exit code goes.
/bin/busybox --install -s /bin
PATH=/bin
mount -t proc proc /proc
mount -t sysfs sys /sys
mount -t devtmpfs dev /dev
while read -r module; do
    case $module in
    dummy_hcd.ko) options=num=2 ;; # one USB bus for the camera, one to spare
    *) options= ;;
    esac
    insmod "/lib/$module" $options || echo "hil: $module was not loaded"
done </modules

share=trans=virtio,version=9p2000.L,msize=512000
mkdir -p /below /above /root
mount -t 9p -o $share,ro,cache=loose root /below || poweroff -f
mount -t tmpfs -o size=75% above /above
mkdir /above/upper /above/work
mount -t overlay -o lowerdir=/below,upperdir=/above/upper,workdir=/above/work root /root || poweroff -f
mkdir -p /root/hil /root/proc /root/sys /root/dev /root/tmp /root/run /root/root /root/etc /root/bin
mount -t 9p -o $share,cache=none hil /root/hil || poweroff -f
mount -t tmpfs tmp /root/tmp
mount -t tmpfs run /root/run
mkdir -p /dev/pts /dev/shm /dev/virtio-ports
mount -t devpts devpts /dev/pts
mount -t tmpfs shm /dev/shm
for port in /sys/class/virtio-ports/*; do
    ln -s "../${port##*/}" "/dev/virtio-ports/$(cat "$port/name")"
done
mount -t configfs configfs /sys/kernel/config
mount -t debugfs debugfs /sys/kernel/debug
hostname hil
# Unpacked packages alone have no shell.
if [ ! -e /root/bin/sh ]; then
    cp /bin/busybox /root/bin/busybox
    chroot /root /bin/busybox --install -s /bin
fi
cut -d' ' -f1 /proc/uptime >/root/hil/.hil/uptime
for place in proc sys dev; do mount --move /$place /root/$place; done
cat >/root/run/start <<'SH'
export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
cd /hil
setsid sh /hil/.hil/command </dev/null >/dev/virtio-ports/output 2>&1
echo $? >/hil/.hil/code.new
sync
mv /hil/.hil/code.new /hil/.hil/code
echo b >/proc/sysrq-trigger # a reset, at which the emulator ends
SH
exec switch_root /root /bin/sh /run/start
