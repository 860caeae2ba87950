#!/bin/sh
# Runs programs of Debian's that ask GeoClue, unchanged, against Meridian and against Debian's own GeoClue, with the
# same receiver: docs/replace-geoclue.md has the table. Nothing leaves the machine, and its own buses are not used.
#
#   sudo Scripts/geoclue.sh [meridian|geoclue [CLIENT…]]
#
# LOCATIOND names another locationd than the one of `swift build`. Needs root, for a network and a view of the disk of
# its own.
set -eu
cd "$(dirname "$0")/.."
packages=geoclue
. Scripts/geoclue/start.sh
run() {
  kind=$1
  shift
  echo "$kind"
  unshare -n -m sh -c 'ip link set lo up && exec /usr/bin/python3 -B Scripts/geoclue/clients.py "$@"' \
    clients "$kind" "$locationd" "$@"
}
if [ $# -gt 0 ]; then run "$@"; else
  run meridian
  run geoclue
fi
