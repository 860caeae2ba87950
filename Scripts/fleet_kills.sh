#!/bin/sh
# Kills workers of a fleet under load, on a nats-server of the test's own, and compares what they leave with what
# `locationctl fleet replay` prints for the same fixes.
#
#   Scripts/fleet_kills.sh [KILLS]             50 unless given
#   Scripts/fleet_kills.sh --ingress [KILLS]   100 unless given: of an ingress and the server in turn, under devices that
#                                              publish; what was acknowledged to them must be in the streams
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh test

Scripts/quietly.sh swift build --build-tests
if [ "${1:-}" = --ingress ]; then
  INGRESS_KILLS=${2:-100} swift test --skip-build --no-parallel --filter IngressServerTests/killed
  exit
fi
FLEET_KILLS=${1:-50} swift test --skip-build --no-parallel --filter FleetServerTests/killed
