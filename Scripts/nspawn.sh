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
packages=systemd,systemd-sysv,dbus,dbus-user-session,libpam-systemd,python3,libsqlite3-0,libsodium23,libcurl4,libsystemd0,procps,python3-dbus,python3-gi

. Scripts/nspawn/boot.sh
tree "$root" "$packages"

share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT INT TERM
make --no-print-directory install DESTDIR="$share/stage" PREFIX=/usr > /dev/null
cp Scripts/nspawn/check.sh Scripts/nspawn/setup.sh Scripts/nspawn/receiver.py "$share/"
# A bluetoothd for the container: what `Scripts/bootstrap.sh test` has installed, on a bus that apps of
# every user may reach.
mock=$(find -L .build/venv/lib -maxdepth 3 -name dbusmock -type d 2> /dev/null | head -1)
if [ -n "$mock" ]; then
  cp -r "$mock" "$share/dbusmock"
  cp -r Tests/BusTests/Mocks "$share/mocks"
fi

start=$(date +%s%N)
boot "$root" "$share" 940
took=$((($(date +%s%N) - start) / 1000000))

cat "$share/results"
echo "booted, checked, and ended in $took ms"
grep -q '^done' "$share/results" || { cat "$share/errors" >&2; exit 1; }
! grep -q '^FAILED' "$share/results" || { cat "$share/errors" >&2; exit 1; }
