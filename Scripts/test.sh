#!/bin/sh
# Builds once and runs every test. Suites that start real programs run after the others, one test at a time
# in each of two halves: they wait more than they compute.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh test

# A bluetoothd to talk to: python-dbusmock's, which Debian has in an older version only.
if [ ! -x .build/venv/bin/python ]; then
  /usr/bin/python3 -m venv --system-site-packages .build/venv
  # Also where Debian's is installed, which pip would take for the same.
  .build/venv/bin/pip install --quiet --ignore-installed --no-deps python-dbusmock ||
    { echo "no python-dbusmock: the tests over D-Bus are skipped" && rm -rf .build/venv; }
fi

# Real receivers to listen to: the logs of gpsd's own regression suite.
Scripts/gpsd_logs.sh || echo "no logs of gpsd: the tests on real receivers are skipped"

# These wait for what is real for some seconds at most, and must not share the threads of the long ones.
quick='LocationTestingTests|LocationctlTests'
daemon='^DaemonTests[.]'
others='^(ReceiverTests|EndToEndTests|LocationHostTests|BusTests|FleetWorkerTests)[.]'
export MERIDIAN_SHARED="${MERIDIAN_SHARED:-$PWD/../shared}"

# The state of the person who runs this is none of the tests' business.
export XDG_STATE_HOME="$PWD/.build/test-state"
# Nor their keys into the keyring of who runs the tests.
export CORELOCATION_SECRET_SERVICE=no
unset CORELOCATION_SOURCES
rm -rf "$XDG_STATE_HOME"
mkdir -p "$XDG_STATE_HOME"

events=$PWD/.build/test-events
scripts_log=$events/scripts.log
rm -rf "$events"
mkdir -p "$events"

step() { printf '\n== %s\n' "$1"; }

# What did not run is no proof of anything: it is listed at the end, however that comes about.
report() {
  status=$?
  step "failed or skipped"
  python3 Scripts/test_report.py --unittest "$scripts_log" "$events"/*.jsonl
  step "statements tested"
  python3 Scripts/statement_coverage.py --ran "$events"/*.jsonl | tail -n 1
  cells=$events/delivery-matrix.txt
  [ -f "$cells" ] && tail -n 1 "$cells"
  [ "$status" = 0 ] && step "everything passed"
  exit "$status"
}

if [ ! -f .build/places.sqlite ]; then
  step "place index"
  if [ -d "$MERIDIAN_SHARED/data/places" ]; then
    python3 Scripts/build_place_index.py --data "$MERIDIAN_SHARED/data"
  else
    python3 Scripts/build_place_index.py || echo "no place index: the tests on it are skipped"
  fi
fi

step "statements with their tests"
coverage=$(python3 Scripts/statement_coverage.py --check) ||
  { printf '%s\n' "$coverage" | grep -E 'MISSING|STALE' >&2 && exit 1; }
printf '%s\n' "$coverage" | tail -n 1

step "what reaches nobody"
python3 Scripts/reachability.py --check

step "build"
swift build --build-tests

# The compiler's own check of what targets import; it needs what the build has written. CoreLocation imports
# its C types by its own name, which the check takes for another target: the one line that is left out.
imports=$events/imports.log
swift build --build-tests --explicit-target-dependency-import-check warn > /dev/null 2> "$imports" ||
  { cat "$imports" >&2 && exit 1; }
known='Target CoreLocation imports another target (CoreLocation)'
if grep 'imports another target' "$imports" | grep -vF "$known" >&2; then exit 1; fi

# Runs the tests that the other arguments select, and writes down which ran.
tests() {
  name=$1
  shift
  timeout 1500 swift test --event-stream-version 0 \
    --event-stream-output-path "$events/$name.jsonl" "$@"
}

trap report EXIT
step "tests in virtual time"
tests virtual-time --skip-build --skip "$daemon|$others|$quick"

step "tests of simulated devices and of locationctl"
tests devices --skip-build --filter "$quick"

step "tests with real programs"
said=$events/others.log
tests others --ignore-lock --skip-build --no-parallel --filter "$others" > "$said" 2>&1 &
half=$!
status=0
tests daemon --ignore-lock --skip-build --no-parallel --filter "$daemon" || status=$?
step "tests with real programs, the other half"
wait "$half" || status=$?
cat "$said"
[ "$status" = 0 ] || exit "$status"

step "conformance"
Scripts/conformance.sh

step "examples"
if [ -d Examples/Tests ]; then
  tests examples --package-path Examples
  # The template is a package of its own; what it needs of Meridian is built already.
  tests template --package-path Examples/Template --scratch-path Examples/.build
else
  swift build --package-path Examples
fi

if ls Scripts/Tests/test_*.py > /dev/null 2>&1; then
  step "scripts"
  python3 -m unittest discover -v -s Scripts/Tests 2> "$scripts_log" ||
    { cat "$scripts_log" >&2 && exit 1; }
  tail -n 3 "$scripts_log"
fi
