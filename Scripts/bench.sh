#!/bin/sh
# Runs every benchmark, or the ones named. Each figure is printed for people and as a line of JSON.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh bench

# The peers that are Python packages; each benchmark says which it goes without.
venv=.build/bench-venv
if [ ! -x $venv/bin/python ]; then
  /usr/bin/python3 -m venv $venv
  # Infostop's build needs what it does not ask for.
  $venv/bin/pip install --quiet setuptools wheel pybind11 'numpy<2' shapely &&
    $venv/bin/pip install --quiet --no-build-isolation infostop &&
    $venv/bin/pip install --quiet trackintel scikit-mobility scikit-learn fiona reverse_geocoder ||
    echo "not all peers from PyPI could be installed"
fi

swift build -c release --product Benchmarks
benchmarks=$(swift build -c release --show-bin-path)/Benchmarks
# Without a name everything is measured.
[ $# -gt 0 ] || set -- all
for name in "$@"; do "$benchmarks" "$name"; done
