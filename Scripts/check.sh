#!/bin/sh
# What has to hold before a change is sent, and what continuous integration runs.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh test
Scripts/lint.sh
# The face by all rules of the house; apps get it compiled as Apple's (docs/decisions/0084).
CORELOCATION_CHECKED=1 swift build --target CoreLocation --scratch-path .build/checked
make test
Scripts/docs.sh

# The units, in a container with a systemd of its own. It ends with 77 where it cannot run, and says why; the
# last line names what was not checked for that reason.
Scripts/bootstrap.sh nspawn
make build
said=$(mktemp)
trap 'rm -f "$said"' EXIT
status=0
Scripts/nspawn.sh 2> "$said" || status=$?
cat "$said" >&2
reason=$(sed -n 's/^skipped: //p' "$said")
case $status in
  0) echo "check: everything passed; nothing was skipped but what 'make test' lists" ;;
  77) echo "check: passed; SKIPPED the units in systemd (Scripts/nspawn.sh): ${reason:-no reason given}" ;;
  *) exit "$status" ;;
esac
