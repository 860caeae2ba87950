#!/bin/sh
# Runs one simulation many times and checks that its hash is always the same.
# usage: Scripts/same_hash.sh LOCATIONCTL FILE [RUNS]
set -eu
program=$1
file=$2
runs=${3:-100}
unset SWIFT_DETERMINISTIC_HASHING
count=0
while [ "$count" -lt "$runs" ]; do
  "$program" simulate "$file" --json | sed -n 's/.*"type":"summary".*"hash":"\([0-9a-f]*\)".*/\1/p'
  count=$((count + 1))
done | sort | uniq -c | awk '
  { print } END { if (NR != 1) { print "the hashes differ" > "/dev/stderr"; exit 1 } }'
