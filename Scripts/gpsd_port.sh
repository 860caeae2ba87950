#!/bin/sh
# Runs Debian's programs for gpsd, unchanged, at the port of locationd (gpsd-port), and compares its reports with those of
# gpsd for the same receiver. Cut off from the network.
#
#   sudo Scripts/gpsd_port.sh
#
# LOCATIOND names another locationd than the one of `swift build`. Needs root, for a network of its own.
set -eu
cd "$(dirname "$0")/.."
packages=gpsd
. Scripts/geoclue/start.sh
exec unshare -n sh -c 'ip link set lo up && exec /usr/bin/python3 -B Scripts/geoclue/gpsd.py "$1"' \
  gpsd "$locationd"
