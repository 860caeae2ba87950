#!/bin/sh
# Fetches the receiver logs of gpsd's regression suite, with gpsd's own reports of them, into
# .build/gpsd-logs. They are part of Debian's source package of gpsd (BSD-2-Clause).
set -eu
cd "$(dirname "$0")/.."
archive=gpsd_3.22.orig.tar.xz
hash=68d2a04e237a02ce42158ceda462a24afe11eeaa2b13482e94ac7ef66693f3a0
folder=.build/gpsd-logs
sources=.build/gpsd-source

[ "$(cat $folder/hash 2> /dev/null)" != $hash ] || exit 0
is_right() { echo "$hash  $sources/$archive" | sha256sum --check --status 2> /dev/null; }
mkdir -p $sources
if ! is_right; then
  Scripts/debian.sh source gpsd $sources
  is_right || {
    echo "gpsd_logs: Debian's gpsd has no $archive of SHA-256 $hash; nothing of it is used" >&2
    exit 1
  }
fi
rm -rf $folder $folder.part
mkdir -p $folder.part
tar -xf $sources/$archive -C $folder.part --strip-components=3 --wildcards \
  'gpsd-3.22/test/daemon/*.log' 'gpsd-3.22/test/daemon/*.log.chk'
tar -xf $sources/$archive -C $folder.part --strip-components=1 gpsd-3.22/COPYING
echo $hash > $folder.part/hash
mv $folder.part $folder
echo "$(ls $folder | grep -c '\.log$') receiver logs of gpsd 3.22 in $folder"
