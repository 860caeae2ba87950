#!/bin/sh
# Makes Debian packages of what `make build` has built, with Debian's own tools (debhelper), into OUT:
#
#   OUT=.build/deb BUILT=.build/static/release Scripts/deb.sh
#
# meridian, meridian-dbgsym, meridian-fleet, meridian-geoclue, and, where `make places` has made the index, meridian-places.
# The version is that of Release.swift; VERSION_SUFFIX is added to it, for a test of upgrades. The same
# programs give the same bytes: every date is SOURCE_DATE_EPOCH, else that of the last commit.
# Who makes a release names it with DEBFULLNAME and DEBEMAIL.
set -eu
cd "$(dirname "$0")/.."

out=${OUT:-.build/deb}
fail() {
  echo "deb: $1" >&2
  exit 1
}
for tool in dh dpkg-buildpackage; do
  command -v "$tool" > /dev/null || fail "no $tool: apt-get install debhelper dpkg-dev"
done
[ -x "${BUILT:-.build/static/release}/locationd" ] || fail "nothing is built yet: make build"

version=$(sed -n 's/.*version = "\(.*\)"/\1/p' Sources/LocationModel/Service/Release.swift)${VERSION_SUFFIX:-}
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct 2> /dev/null || echo 1767225600)}
export SOURCE_DATE_EPOCH

tree=.build/deb-tree/meridian
rm -rf .build/deb-tree
mkdir -p "$tree" "$out"
cp -r packaging/debian "$tree/debian"
maintainer="${DEBFULLNAME:-The Meridian authors} <${DEBEMAIL:-meridian@localhost}>"
sed -i "s/@MAINTAINER@/$maintainer/" "$tree/debian/control"
cat > "$tree/debian/changelog" << LOG
meridian ($version) unstable; urgency=medium

  * The changes are in CHANGELOG.md.

 -- $maintainer  $(LC_ALL=C date -u -R -d "@$SOURCE_DATE_EPOCH")
LOG

stage=$tree/stage
DESTDIR=$PWD/$stage PREFIX=/usr Scripts/install.sh install > /dev/null
# Debian 12 reads units of the system in /lib.
mkdir -p "$stage/lib/systemd"
mv "$stage/usr/lib/systemd/system" "$stage/usr/lib/systemd/system-preset" "$stage/lib/systemd/"
# What only meridian-geoclue has: the bus starts the service, which then has the name; a graphical session starts
# the agent that asks its person.
install -D -m 644 dbus/org.freedesktop.GeoClue2.service \
  "$stage/usr/share/dbus-1/system-services/org.freedesktop.GeoClue2.service"
install -D -m 644 systemd/geoclue/geoclue.conf \
  "$stage/lib-geoclue/systemd/system/locationd.service.d/geoclue.conf"
install -D -m 644 systemd/geoclue/locationctl-agent.desktop "$stage/etc/xdg/autostart/locationctl-agent.desktop"
# What only meridian-fleet has: the worker, which alone needs libnats.
for file in usr/bin/locationfleet usr/share/man/man8/locationfleet.8 "lib/systemd/system/locationfleet@.service" \
  lib/systemd/system/locationfleet-ingress.service lib/systemd/system/locationfleet-expire.service \
  lib/systemd/system/locationfleet-expire.timer "lib/systemd/system/locationfleet-sink@.service" \
  lib/systemd/system/locationfleet-watchdog.service usr/libexec/locationfleet-watchdog \
  usr/lib/sysusers.d/locationfleet.conf \
  usr/share/bash-completion/completions/locationfleet usr/share/zsh/site-functions/_locationfleet \
  usr/share/fish/vendor_completions.d/locationfleet.fish usr/share/doc/meridian/locationfleet.conf \
  usr/share/doc/meridian/fleet-server.conf usr/share/doc/meridian/fleet-cluster.conf \
  usr/share/doc/meridian/fleet-tenant.conf; do
  [ -e "$stage/$file" ] || continue
  place=$(echo "$file" | sed 's,zsh/site-functions,zsh/vendor-completions,; s,doc/meridian/,doc/meridian-fleet/examples/,')
  mkdir -p "$stage/fleet/${place%/*}"
  mv "$stage/$file" "$stage/fleet/$place"
done
mv "$stage/usr/share/zsh/site-functions" "$stage/usr/share/zsh/vendor-completions"
[ -e "$stage/usr/share/meridian/places.sqlite" ] || echo \
  "deb: meridian-places is left out: there is no index; make places builds it, from PyPI and Debian" >&2

(cd "$tree" && dpkg-buildpackage --build=binary --no-sign --no-check-builddeps > ../log 2>&1) || {
  tail -20 .build/deb-tree/log >&2
  fail "dpkg-buildpackage failed; its log is .build/deb-tree/log"
}
for package in .build/deb-tree/*.deb; do
  mv -f "$package" "$out/"
  echo "made $out/${package##*/}"
done
