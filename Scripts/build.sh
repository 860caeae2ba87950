#!/bin/sh
# Builds the programs for installation, with the completions that locationctl prints. Swift's own
# libraries are linked in, so a machine without the toolchain can run them.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh build

# Neither the programs nor their debug information name the folder in which they were built.
map=$PWD=/usr/src/meridian
for product in locationd locationctl locationfleet; do
  swift build -c release --static-swift-stdlib --scratch-path .build/static --product "$product" \
    -Xswiftc -file-prefix-map -Xswiftc "$map" -Xswiftc -debug-prefix-map -Xswiftc "$map" \
    -Xcc "-ffile-prefix-map=$map"
done
share=.build/share
mkdir -p "$share"
for shell in bash zsh fish; do
  .build/static/release/locationctl completion $shell > "$share/locationctl.$shell"
done
