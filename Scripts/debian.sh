#!/bin/sh
# Downloads a file of a Debian package, whatever the machine's own package sources are; installs
# nothing and changes nothing of the machine's configuration.
#
#   Scripts/debian.sh binary PACKAGE FOLDER     the .deb, into FOLDER
#   Scripts/debian.sh source PACKAGE FOLDER     the files of the source package, into FOLDER
#
# DEBIAN_MIRROR names another mirror. The lists are signed, and kept in .build/debian.
set -eu
cd "$(dirname "$0")/.."
kind=$1 package=$2
mkdir -p "$3"
folder=$(cd "$3" && pwd)
suite=bookworm
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}

fail() {
  echo "debian: $1" >&2
  exit 1
}

command -v apt-get > /dev/null || fail "this system has no apt; put the file into $folder by hand"
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
[ -r "$keyring" ] || fail "Debian's keys are missing: apt-get install debian-archive-keyring"

state=$PWD/.build/debian
mkdir -p "$state/lists/partial" "$state/cache/archives/partial"
for type in deb deb-src; do
  echo "$type [signed-by=$keyring] $mirror $suite main"
done > "$state/sources.list"

apt() {
  LC_ALL=C apt-get -qq -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::Etc::preferences=/dev/null -o Dir::Etc::preferencesparts=/dev/null \
    -o Dir::State::lists="$state/lists" -o Dir::Cache="$state/cache" \
    -o APT::Sandbox::User=root -o Acquire::Retries=2 -o Acquire::Languages=none "$@" \
    > "$state/log" 2>&1
}

apt update || fail "the lists of $mirror were not reached: $(grep -m 1 -E '^(E|W|Err)' "$state/log")"
cd "$folder"
case $kind in
  binary) apt download "$package" ;;
  source) apt source --download-only "$package" ;;
  *) fail "usage: Scripts/debian.sh binary|source PACKAGE FOLDER" ;;
esac || fail "$package was not downloaded: $(grep -m 1 -E '^E' "$state/log")"
