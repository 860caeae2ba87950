#!/bin/sh
# Runs the commands of a page from top to bottom, in an empty folder and a home of its own: every block
# marked `sh`. Ends with the first one that fails.
#
#   Scripts/guide.sh docs/ios-tests-on-linux.md
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
MERIDIAN=$PWD
export MERIDIAN
if [ $# -ne 1 ] || [ ! -f "$1" ]; then
  echo "usage: Scripts/guide.sh PAGE.md" >&2
  exit 2
fi
page=$(realpath "$1")
Scripts/bootstrap.sh build

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
mkdir -p "$folder/home" "$folder/work"
commands=$folder/commands.sh
printf 'set -eux\n' > "$commands"
awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >> "$commands"
[ "$(wc -l < "$commands")" -gt 1 ] || { echo "$page has no commands" >&2; exit 1; }
cd "$folder/work"
HOME=$folder/home XDG_STATE_HOME=$folder/home/state XDG_CONFIG_HOME=$folder/home/config \
  sh "$commands"
echo "every command of $page worked"
