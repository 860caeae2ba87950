#!/bin/sh
# Runs random worlds with faults (`locationctl soak`): the seeds that are kept, then new ones.
#
#   Scripts/soak.sh [RUNS] [FIRST-SEED]     1000 worlds, and those of today, unless given
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh build

runs=${1:-1000}
first=${2:-$(($(date +%s) / 86400 * 1000))}
Scripts/quietly.sh swift build -c release --product locationctl
locationctl=$(swift build -c release --show-bin-path)/locationctl
status=0
for seed in $(sed -n 's/^\([0-9][0-9]*\).*/\1/p' Tests/Fixtures/soak-seeds.txt); do
  "$locationctl" soak --seed "$seed" --runs 1 > /dev/null || status=1
done
echo "seeds $first to $((first + runs - 1)):"
"$locationctl" soak --seed "$first" --runs "$runs" || status=1
[ "$status" = 0 ] || echo "Next: put the seed that broke a rule into Tests/Fixtures/soak-seeds.txt" >&2
exit "$status"
