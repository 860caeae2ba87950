#!/bin/sh
# Proves the units in a booted systemd: installs with `make install`, boots a container, and runs
# Scripts/nspawn/check.sh in it. Prints a line for each check; status 1 when one fails.
#
#   make build && sudo Scripts/nspawn.sh
#
# Needs root, systemd-container, and mmdebstrap. The first run makes the tree of the container, about
# 300 MB in .build/nspawn (MERIDIAN_ROOTFS names another place); nothing is left running.
set -eu
cd "$(dirname "$0")/.."

root=${MERIDIAN_ROOTFS:-$PWD/.build/nspawn/rootfs}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
packages=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,python3,libsqlite3-0,libsodium23,libcurl4,libsystemd0,procps,python3-dbus,python3-gi

need() {
  command -v "$1" > /dev/null || { echo "skipped: no $1; apt-get install $2" >&2; exit 77; }
}
[ "$(id -u)" = 0 ] || { echo "skipped: containers need root; the same with sudo" >&2; exit 77; }
need systemd-nspawn systemd-container
if [ "$(cat "$root/packages" 2> /dev/null)" != "$packages" ]; then
  need mmdebstrap mmdebstrap
  echo "making the tree of the container in $root"
  mkdir -p "$(dirname "$root")"
  rm -rf "$root"
  mmdebstrap --quiet --variant=minbase --include="$packages" bookworm "$root" "$mirror"
  echo "$packages" > "$root/packages"
fi

share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT INT TERM
make --no-print-directory install DESTDIR="$share/stage" PREFIX=/usr > /dev/null
cp Scripts/nspawn/check.sh "$share/"
# A bluetoothd for the container: what `Scripts/bootstrap.sh test` has installed, on a bus that apps of
# every user may reach.
mock=$(find -L .build/venv/lib -maxdepth 3 -name dbusmock -type d 2> /dev/null | head -1)
if [ -n "$mock" ]; then
  cp -r "$mock" "$share/dbusmock"
  cp -r Tests/BusTests/Mocks "$share/mocks"
fi
cat > "$share/meridian-check.service" << 'UNIT'
[Unit]
Description=Checks of Meridian
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/mnt/share/check.sh
StandardOutput=file:/mnt/share/results
StandardError=file:/mnt/share/errors
TimeoutStartSec=900
ExecStopPost=/usr/bin/systemctl --no-block poweroff
UNIT

start=$(date +%s%N)
# Only the one hierarchy of version 2 freezes units; a host may have older ones as well.
SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 \
  timeout 960 systemd-nspawn --quiet --directory="$root" --volatile=overlay --register=no --keep-unit \
  --private-network --bind="$share:/mnt/share" \
  --bind-ro="$share/meridian-check.service:/etc/systemd/system/meridian-check.service" \
  --boot systemd.unit=multi-user.target systemd.wants=meridian-check.service \
  systemd.show_status=0 < /dev/null > "$share/console" 2>&1 || true
took=$((($(date +%s%N) - start) / 1000000))

cat "$share/results" 2> /dev/null || { cat "$share/console" "$share/errors" >&2; exit 1; }
echo "booted, checked, and ended in $took ms"
grep -q '^done' "$share/results" || { cat "$share/errors" >&2; exit 1; }
! grep -q '^FAILED' "$share/results" || { cat "$share/errors" >&2; exit 1; }
