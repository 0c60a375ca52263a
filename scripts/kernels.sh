#!/usr/bin/env bash
# Run a command on one of Debian's kernels, in a virtual machine: kernels.sh FOLDER 6.1 COMMAND …
#
# The machine sees the files of this one, below which it writes to memory; /tmp is a disk of its own. It runs
# as root, or as the user that AS_USER names, in the folder from which it was started. Kernels are Debian's
# packages, unpacked below FOLDER; nothing of the system is changed. The exit status is the command's.
set -euo pipefail

MODULES=(virtio_pci virtio_blk 9pnet_virtio 9p overlay ext4)
MEMORY=3G
DISK=8G

folder=$1 version=$2
shift 2
mkdir -p "$folder"
folder=$(cd "$folder" && pwd)
place=$folder/$version
here=$PWD

# Print the newest package of a kernel.
package() {
    apt-cache pkgnames "linux-image-$1." | grep -E -- '-[0-9]+-amd64-unsigned$|\+deb12-amd64-unsigned$' | sort -V | tail -1
}

fetch() {
    local name
    name=$(package "$version")
    [ -n "$name" ] || { echo "apt knows no kernel $version: apt-get update" >&2; exit 1; }
    echo "unpacking $name" >&2
    rm -rf "$place.new"
    mkdir -p "$place.new"
    (cd "$place.new" && apt-get download -qq -o APT::Sandbox::User=root "$name")
    dpkg-deb --extract "$place.new"/*.deb "$place.new"
    rm "$place.new"/*.deb
    [ ! -d "$place.new/usr/lib/modules" ] || mv "$place.new/usr/lib" "$place.new/lib"
    depmod --basedir "$place.new" "$(ls "$place.new/lib/modules")"
    mv "$place.new" "$place"
}

# What the machine does first: it loads its drivers, puts the files together and runs the command.
first_program() {
    cat <<'INIT'
#!/bin/busybox sh
export PATH=/bin
/bin/busybox --install /bin
mount -t proc proc /proc
for module in /modules/*; do insmod "$module"; done
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=512000,cache=loose host /host
mount -t tmpfs -o size=60% memory /memory
mkdir /memory/upper /memory/work
mount -t overlay -o lowerdir=/host,upperdir=/memory/upper,workdir=/memory/work overlay /new
mount -t proc proc /new/proc
mount -t sysfs sys /new/sys
mount -t devtmpfs dev /new/dev
mkdir -p /new/dev/pts /new/dev/shm
for name in fd fd/0:stdin fd/1:stdout fd/2:stderr; do ln -s "/proc/self/${name%:*}" "/new/dev/${name#*:}"; done
mount -t devpts -o gid=5,mode=620,ptmxmode=666 pts /new/dev/pts
mount -t tmpfs shm /new/dev/shm
mount -t cgroup2 groups /new/sys/fs/cgroup
mount -t ext4 /new/dev/vda /new/tmp
chmod 1777 /new/tmp /new/dev/shm
ifconfig lo up
# As on a machine that has run for a while: no number of a process here is one within a sandbox too.
echo 4194304 >/proc/sys/kernel/pid_max
echo 100000 >/proc/sys/kernel/ns_last_pid
exec switch_root /new /bin/bash /tmp/first
INIT
}

prepare() {
    local root=$1 number=10 line
    mkdir -p "$root"/{bin,proc,modules,host,memory,new}
    cp "$(command -v busybox)" "$root/bin/busybox"
    first_program >"$root/init"
    chmod +x "$root/init"
    for module in "${MODULES[@]}"; do
        modprobe --dirname "$place" --set-version "$(ls "$place/lib/modules")" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' | while read -r line; do
        number=$((number + 1))
        xzcat --force "$line" >"$root/modules/$number-$(basename "$line" .xz)"
    done
}

[ -d "$place" ] || fetch
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
prepare "$scratch/root"
(cd "$scratch/root" && find . | cpio --quiet --create --format=newc | gzip -1) >"$scratch/initrd"
mkdir "$scratch/tmp"
printf 'bash /tmp/command </dev/null 2>&1 | cat\necho "ended: ${PIPESTATUS[0]}"\nbusybox poweroff -f\n' >"$scratch/tmp/first"
{
    printf 'cd %q || exit\nexport HOME=/tmp/home PATH=%q LANG=C.UTF-8\nmkdir -m 777 /tmp/home\n' "$here" "$PATH"
    printf 'export HYPOTHESIS_STORAGE_DIRECTORY=/tmp/home/.hypothesis\n'
    if [ -n "${AS_USER:-}" ]; then
        # An interpreter in the home of root, say, must be within the user's reach.
        printf 'p=$(readlink -f %q); while [ "$p" != / ]; do p=$(dirname "$p"); chmod a+x "$p"; done\n' "$1"
        printf 'exec setpriv --reuid=%q --regid=%q --clear-groups ' "$AS_USER" "$AS_USER"
    fi
    printf '%q ' "$@"
} >"$scratch/tmp/command"
mke2fs -q -t ext4 -d "$scratch/tmp" "$scratch/disk" "$DISK" >/dev/null

# A plain processor without guards against itself: what it has beyond that is slow to emulate.
qemu-system-x86_64 -accel "${ACCELERATOR:-tcg,thread=multi}" -cpu Nehalem -smp "$(nproc)" -m "$MEMORY" \
    -display none -nodefaults -serial stdio -no-reboot \
    -kernel "$place"/boot/vmlinuz-* -initrd "$scratch/initrd" \
    -append 'console=ttyS0 quiet panic=-1 mitigations=off no_timer_check' \
    -virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
    -drive "file=$scratch/disk,format=raw,if=virtio,cache=unsafe" </dev/null | sed -u 's/\r$//' | tee "$scratch/printed"
exit "$(sed -n 's/^ended: \([0-9]*\)$/\1/p' "$scratch/printed" | tail -1 | grep . || echo 1)"
