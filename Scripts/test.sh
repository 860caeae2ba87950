#!/bin/sh
# Builds once and runs every test. Suites that start real programs run alone, after the others.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh test

# A bluetoothd to talk to: python-dbusmock's, which Debian has in an older version only.
if [ ! -x .build/venv/bin/python ]; then
  /usr/bin/python3 -m venv --system-site-packages .build/venv
  .build/venv/bin/pip install --quiet python-dbusmock ||
    { echo "no python-dbusmock: the tests over D-Bus are skipped" && rm -rf .build/venv; }
fi

alone='ReceiverTests|EndToEndTests|LocationHostTests|DaemonTests|BusTests'
export MERIDIAN_SHARED="${MERIDIAN_SHARED:-$PWD/../shared}"

# The state of the person who runs this is none of the tests' business.
export XDG_STATE_HOME="$PWD/.build/test-state"
unset CORELOCATION_SOURCES
rm -rf "$XDG_STATE_HOME"
mkdir -p "$XDG_STATE_HOME"

step() { printf '\n== %s\n' "$1"; }

if [ -d "$MERIDIAN_SHARED/data/places" ] && [ ! -f .build/places.sqlite ]; then
  step "place index"
  python3 Scripts/build_place_index.py
fi

step "statements with their tests"
coverage=$(python3 Scripts/statement_coverage.py --check) ||
  { printf '%s\n' "$coverage" | grep -E 'MISSING|STALE' >&2 && exit 1; }
printf '%s\n' "$coverage" | tail -n 1

step "build"
swift build --build-tests

step "tests in virtual time"
timeout 1500 swift test --skip-build --skip "$alone"

if swift test list --skip-build 2> /dev/null | grep -qE "$alone"; then
  step "tests with real programs"
  timeout 1500 swift test --skip-build --no-parallel --filter "$alone"
fi

if [ -d "$MERIDIAN_SHARED/api/conformance" ]; then
  step "conformance"
  Scripts/conformance.sh
else
  step "conformance: skipped, $MERIDIAN_SHARED has no api/conformance"
fi

step "examples"
if [ -d Examples/Tests ]; then
  swift test --package-path Examples
else
  swift build --package-path Examples
fi

if ls Scripts/Tests/test_*.py > /dev/null 2>&1; then
  step "scripts"
  python3 -m unittest discover -s Scripts/Tests
fi

step "everything passed"
