#!/bin/sh
# Runs one day in virtual time, all services on, again and again, and checks that its hash is
# always the same: half of the runs alone, half with twice as many at once as there are
# processors; then a few of a debug build.
# usage: Scripts/same_hash.sh [RUNS [DEBUG-RUNS [FILE]]]      1000 20 Examples/Scenarios/day.txt
# $RELEASE and $DEBUG name programs that are built already.
set -eu
cd "$(dirname "$0")/.."
runs=${1:-1000}
debug_runs=${2:-20}
file=${3:-Examples/Scenarios/day.txt}
crowd=$((2 * $(nproc)))
unset SWIFT_DETERMINISTIC_HASHING

program() { # program CONFIGURATION: builds, and prints where it lies
  swift build -q -c "$1" --product locationctl >&2
  echo "$(swift build -c "$1" --show-bin-path)/locationctl"
}
release=${RELEASE:-$(program release)}
debug=${DEBUG:-$(program debug)}

all=$(mktemp)
trap 'rm -f "$all"' EXIT

# several WHAT COUNT PROGRAM AT-ONCE
several() {
  seq "$2" | xargs -P "$4" -I{} "$3" simulate "$file" |
    sed -n 's/.*, hash \([0-9a-f]*\)$/\1/p' >> "$all"
  echo "$1: $2 runs, $(sort -u "$all" | wc -l) value(s) so far"
}

several "release, alone" "$((runs / 2))" "$release" 1
several "release, $crowd at once" "$((runs - runs / 2))" "$release" "$crowd"
several "debug" "$debug_runs" "$debug" 1

sort "$all" | uniq -c
[ "$(wc -l < "$all")" -eq "$((runs + debug_runs))" ] || { echo "some runs failed" >&2; exit 1; }
[ "$(sort -u "$all" | wc -l)" -eq 1 ] || { echo "the hashes differ" >&2; exit 1; }
