#!/bin/sh
# Shows the main job: a recorded receiver, played through the whole path to an app that says
# `import CoreLocation` and nothing else.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh build

echo "Building the example app and locationctl; the first time takes some minutes."
for product in Whereabouts locationctl; do
  Scripts/quietly.sh swift build --package-path Examples --product $product
done

products=$(swift build --package-path Examples --show-bin-path)
cp Examples/Sources/Whereabouts/Whereabouts.plist "$products/"

# Permissions of its own, so that a real app's answers stay what they are.
XDG_STATE_HOME=$PWD/.build/run-state
CORELOCATION_SOURCES=log://$PWD/Examples/Recordings/iTrek.log?rate=4
export XDG_STATE_HOME CORELOCATION_SOURCES
rm -rf "$XDG_STATE_HOME"
mkdir -p "$XDG_STATE_HOME"

echo "\$ locationctl authorize org.example.whereabouts whenInUse"
"$products/locationctl" authorize org.example.whereabouts whenInUse
echo "\$ CORELOCATION_SOURCES='log:///…/iTrek.log?rate=4' Whereabouts"
# The recording takes ten seconds; an app that waits for longer waits for something else.
timeout 120 stdbuf -oL "$products/Whereabouts" < /dev/null

scenario=Examples/Scenarios/walk-home.txt
events=.build/run-state/events.jsonl
"$products/locationctl" simulate "$scenario" --json > "$events"
echo "\$ locationctl simulate $scenario --transcript | grep -E 'condition|visit'   # an hour in virtual time"
"$products/locationctl" simulate "$scenario" --transcript | grep -E 'condition|visit' | grep -v unknown | head -6
crossing=$("$products/locationctl" explain --events - < "$events" | awk '$4 == "shop" && $5 == "satisfied" { print $1; exit }')
echo "\$ locationctl simulate $scenario --json | locationctl explain $crossing --events -"
"$products/locationctl" explain "$crossing" --events - < "$events"

[ -f .build/places.sqlite ] ||
  echo "There is no place index yet, so places have no names: make places builds it."
cat << 'NEXT'
Next:
  locationctl setup                      find what gives positions on this machine, and use it
  locationctl watch --source fixed:48.5,11.5
  locationctl simulate "City Run" --plot run.svg
NEXT
