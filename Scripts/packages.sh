#!/bin/sh
# Proves the packages of `make deb` in a booted systemd: lintian, then install, upgrade, remove, and purge in
# a container (Scripts/nspawn/packages.sh). Prints a line for each check; status 1 when one fails.
#
#   make deb && sudo Scripts/packages.sh
#
# Needs root, systemd-container, mmdebstrap, and lintian. The first run makes the tree of the container, about
# 300 MB in .build/packages; nothing is left running. Nothing has been released yet, so the version
# before is the same packages under a lower number.
set -eu
cd "$(dirname "$0")/.."

out=${OUT:-.build/deb}
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
root=$PWD/.build/packages/rootfs
packages=$(sed -n 's/^packages=//p' Scripts/nspawn.sh),libnotify4,libgeoclue-2-0
need() {
  command -v "$1" > /dev/null || { echo "skipped: no $1; apt-get install $2" >&2; exit 77; }
}
[ "$(id -u)" = 0 ] || { echo "skipped: containers need root; the same with sudo" >&2; exit 77; }
need systemd-nspawn systemd-container
need lintian lintian
ls "$out"/meridian_*.deb > /dev/null 2>&1 || { echo "there are no packages: make deb" >&2; exit 1; }

# Without DEBEMAIL there is no address, which is no fault of the packages.
address=
[ "$(dpkg-deb -f "$(ls "$out"/meridian_*.deb)" Maintainer)" != "The Meridian authors <meridian@localhost>" ] ||
  address=--suppress-tags=bogus-mail-host,bogus-mail-host-in-debian-changelog
# shellcheck disable=SC2086
if lintian --allow-root $address --fail-on error "$out"/*.deb > .build/packages.lintian 2>&1; then
  echo "ok      lintian finds no errors; $(grep -c '^W' .build/packages.lintian) warnings"
else
  cat .build/packages.lintian >&2
  echo "FAILED  lintian"
  exit 1
fi

if [ "$(cat "$root/packages" 2> /dev/null)" != "$packages" ]; then
  need mmdebstrap mmdebstrap
  echo "making the tree of the container in $root"
  mkdir -p "${root%/*}"
  rm -rf "$root"
  mmdebstrap --quiet --variant=minbase --include="$packages" bookworm "$root" "$mirror"
  echo "$packages" > "$root/packages"
fi
ls .build/packages/geoclue-2-demo_*.deb > /dev/null 2>&1 ||
  Scripts/debian.sh binary geoclue-2-demo .build/packages

share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT INT TERM
mkdir "$share/now" "$share/before"
for package in "$out"/meridian_*.deb "$out"/meridian-geoclue_*.deb; do
  cp "$package" "$share/now/"
  rm -rf "$share/unpacked"
  dpkg-deb -R "$package" "$share/unpacked"
  sed -i '/^Version: /s/$/~before/; s/meridian (>= \([^)]*\))/meridian (>= \1~before)/' \
    "$share/unpacked/DEBIAN/control"
  dpkg-deb -Zgzip -z1 --root-owner-group -b "$share/unpacked" "$share/before/" > /dev/null
done
rm -rf "$share/unpacked"
cp .build/packages/geoclue-2-demo_*.deb "$share/"
cp Scripts/nspawn/packages.sh "$share/check.sh"
cat > "$share/meridian-check.service" << 'UNIT'
[Unit]
Description=Checks of Meridian's packages
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/mnt/share/check.sh
StandardOutput=file:/mnt/share/results
StandardError=file:/mnt/share/errors
TimeoutStartSec=500
ExecStopPost=/usr/bin/systemctl --no-block poweroff
UNIT

SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 \
  timeout 540 systemd-nspawn --quiet --directory="$root" --volatile=overlay --register=no --keep-unit \
  --private-network --bind="$share:/mnt/share" \
  --bind-ro="$share/meridian-check.service:/etc/systemd/system/meridian-check.service" \
  --boot systemd.unit=multi-user.target systemd.wants=meridian-check.service \
  systemd.show_status=0 < /dev/null > "$share/console" 2>&1 || true

cat "$share/results" 2> /dev/null || { cat "$share/console" "$share/errors" >&2; exit 1; }
grep -q '^done' "$share/results" || { cat "$share/errors" >&2; exit 1; }
! grep -q '^FAILED' "$share/results" || { cat "$share/errors" >&2; exit 1; }
