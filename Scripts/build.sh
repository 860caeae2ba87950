#!/bin/sh
# Builds locationctl for installation, with the manual page and the completions that it prints.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh build

swift build -c release --product locationctl
swift build -c release --product locationd
locationctl=.build/release/locationctl
share=.build/share
mkdir -p "$share"
"$locationctl" help --man > "$share/locationctl.1"
for shell in bash zsh fish; do
  "$locationctl" completion $shell > "$share/locationctl.$shell"
done
