#!/bin/sh
# Clicks through the console in a real browser, Debian's Chromium without a window, cut off from the network: each
# point has a check and a picture, axe looks for what people with assistive technology could not use, and the figures
# of the page are printed.
#
#   sudo Scripts/console.sh [OUT]
#
# Pictures and figures go to OUT, else .build/console; day-explained.png is docs/console.png. BUILD names another folder of built programs than .build/debug;
# figures of time are for a release build (BUILD=.build/release). Needs root, for a network of its own.
set -eu
cd "$(dirname "$0")/.."
[ "$(id -u)" = 0 ] || { echo "skipped: its own network needs root; the same with sudo" >&2; exit 77; }
. Scripts/toolchain.sh
Scripts/bootstrap.sh console
build=${BUILD:-.build/debug}
if [ -z "${BUILD:-}" ]; then
  for product in locationd locationctl AsyncApp CellApp; do swift build --product "$product"; done
fi
# The names on the map.
[ -f .build/places.sqlite ] || python3 Scripts/build_place_index.py
venv=.build/console-venv
if [ ! -x $venv/bin/python ]; then
  /usr/bin/python3 -m venv $venv
  $venv/bin/pip install --quiet selenium axe-core-python || { rm -rf $venv; exit 1; }
fi
out=${1:-.build/console}
mkdir -p "$out"
exec unshare -n sh -c 'ip link set lo up && exec "$@"' \
  console $venv/bin/python -B Scripts/console/browser.py "$build" "$out"
