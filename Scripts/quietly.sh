#!/bin/sh
# Runs a build without a word; when it fails, shows what the compiler complains of, once each.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
"$@" > "$log" 2>&1 && exit 0
status=$?
grep -E '^[^ ]*(error|warning): ' "$log" | sort -u | head -n 40 >&2
tail -n 3 "$log" >&2
exit $status
