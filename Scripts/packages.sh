#!/bin/sh
# Proves the packages of `make deb` in a booted systemd: lintian, then install, upgrade, remove, and purge in
# a container (Scripts/nspawn/packages.sh). Prints a line for each check; status 1 when one fails.
#
#   make deb && sudo Scripts/packages.sh
#
# Needs root, systemd-container, mmdebstrap, and lintian. The first run makes the tree of the container, about
# 300 MB in .build/packages; nothing is left running. Scripts/fleet_package.sh has a fleet run.
set -eu
cd "$(dirname "$0")/.."

out=${OUT:-.build/deb}
root=$PWD/.build/packages/rootfs
packages=$(sed -n 's/^packages=//p' Scripts/nspawn.sh),libnotify4,libgeoclue-2-0,libnats3.4,libjs-leaflet,libmicrohttpd12,curl
. Scripts/nspawn/boot.sh
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

# Each program has its debug symbols, in a package apart, by the number of its build.
share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT INT TERM
for package in "$out"/*-dbgsym_*.deb; do dpkg-deb -x "$package" "$share/symbols"; done
for package in "$out"/meridian_*.deb "$out"/meridian-fleet_*.deb; do dpkg-deb -x "$package" "$share/programs"; done
for program in "$share"/programs/usr/bin/*; do
  number=$(readelf -n "$program" | sed -n 's/.*Build ID: //p')
  rest=${number#??}
  file=$share/symbols/usr/lib/debug/.build-id/${number%"$rest"}/$rest.debug
  if [ -n "$number" ] && readelf -SW "$file" 2> /dev/null | grep -q debug_info &&
    ! readelf -SW "$program" | grep -qE 'symtab|debug_info'; then
    echo "ok      ${program##*/} is stripped, and its debug symbols are $(du -m "$file" | cut -f1) MB"
  else
    echo "FAILED  debug symbols of ${program##*/}"
    exit 1
  fi
done
rm -rf "$share/symbols" "$share/programs"

tree "$root" "$packages"
ls .build/packages/geoclue-2-demo_*.deb > /dev/null 2>&1 ||
  Scripts/debian.sh binary geoclue-2-demo .build/packages

. Scripts/nspawn/before.sh
before "$share" "$out"/meridian_*.deb "$out"/meridian-geoclue_*.deb "$out"/meridian-fleet_*.deb
cp .build/packages/geoclue-2-demo_*.deb "$share/"
cp Scripts/nspawn/packages.sh "$share/check.sh"
boot "$root" "$share" 540
cat "$share/results"
grep -q '^done' "$share/results" || { cat "$share/errors" >&2; exit 1; }
! grep -q '^FAILED' "$share/results" || { cat "$share/errors" >&2; exit 1; }
