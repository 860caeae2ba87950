#!/bin/sh
# Runs every benchmark, or the ones named. Each figure is printed for people and as a line of JSON.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh bench
swift build -c release --product Benchmarks
benchmarks=$(swift build -c release --show-bin-path)/Benchmarks
# Without a name the executable says which there are.
[ $# -gt 0 ] || set -- $("$benchmarks" | sed -n 's/^usage: Benchmarks //p' | tr '|' ' ')
for name in "$@"; do "$benchmarks" "$name"; done
