#!/bin/sh
# Kills workers of a fleet under load, on a nats-server of the test's own, and compares what they leave with what
# `locationctl fleet replay` prints for the same fixes.
#
#   Scripts/fleet_kills.sh [KILLS]     50 unless given
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh test

Scripts/quietly.sh swift build --build-tests
FLEET_KILLS=${1:-50} swift test --skip-build --no-parallel --filter FleetServerTests/killed
