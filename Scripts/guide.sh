#!/bin/sh
# Runs the commands of a page from top to bottom: every block marked `sh`. Ends with the first one that fails.
#
#   Scripts/guide.sh docs/ios-tests-on-linux.md
#   make deb && sudo Scripts/guide.sh docs/replace-geoclue.md
#
# In an empty folder and a home of its own; a page that names Debian packages in its first comment
# (`<!-- machine: PACKAGES -->`) gets a machine of its own with these, a container with a booted systemd without a
# network, as root beside the packages of `make deb`. At /dev/ttyUSB0 it has a receiver of NMEA with 4,800 baud.
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

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
mkdir -p "$folder/home" "$folder/work"
commands=$folder/commands.sh
printf 'set -eux\n' > "$commands"
awk '/^```sh$/ { inside = 1; next } /^```/ { inside = 0 } inside' "$page" >> "$commands"
[ "$(wc -l < "$commands")" -gt 1 ] || { echo "$page has no commands" >&2; exit 1; }

packages=$(sed -n '1,3s/^<!-- machine: \(.*\) -->$/\1/p' "$page" | tr ' ' ',')
if [ -n "$packages" ]; then
  . Scripts/nspawn/boot.sh
  ls "${OUT:-.build/deb}"/meridian_*.deb > /dev/null 2>&1 || { echo "there are no packages: make deb" >&2; exit 1; }
  root=$PWD/.build/guide/$(basename "$page" .md)
  # The lists and files of apt stay, so that it installs without a network what was there before.
  tree "$root" "$(sed -n 's/^packages=//p' Scripts/nspawn.sh),$packages" --skip=cleanup/apt
  cp "${OUT:-.build/deb}"/*.deb "$folder/work/"
  cp Scripts/nspawn/receiver.py "$folder/"
  cp Scripts/nspawn/guide.sh "$folder/check.sh"
  boot "$root" "$folder" 400 || exit 1
  cat "$folder/results"
  grep -q '^every command worked$' "$folder/results" || { cat "$folder/errors" >&2; exit 1; }
else
  Scripts/bootstrap.sh build
  cd "$folder/work"
  HOME=$folder/home XDG_STATE_HOME=$folder/home/state XDG_CONFIG_HOME=$folder/home/config \
    sh "$commands"
fi
echo "every command of $page worked"
