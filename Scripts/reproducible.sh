#!/bin/sh
# Builds the packages of the last commit twice, in folders, time zones, and languages that differ, and compares them byte
# by byte. The names of the folders are of the same length: Swift 6.3 puts the length of a source file's path into optimized
# code where a closure is checked for having escaped (`onQueue`), and there is no setting against that. Prints a line for
# each; status 1 when one differs, both then stay in .build/reproducible.
#
#   Scripts/reproducible.sh
#
# Takes twice the time of `make build && make deb`. FIRST names a folder of packages that were built already.
set -eu
cd "$(dirname "$0")/.."
# Before the minutes of a build, and not after them.
command -v dh > /dev/null || {
  echo "reproducible: no dh: apt-get install debhelper dpkg-dev" >&2
  exit 1
}
root=$PWD/.build/reproducible
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
rm -rf "$root"

# build NAME: from the sources of the commit alone, in a folder of that name.
build() {
  mkdir -p "$root/$1"
  git archive HEAD | tar -x -C "$root/$1"
  mkdir -p "$root/$1/.build"
  # The index is made from data of others, and is the same for both.
  [ ! -e .build/places.sqlite ] || cp .build/places.sqlite "$root/$1/.build/"
  (cd "$root/$1" && Scripts/build.sh && Scripts/deb.sh) > "$root/$1.log" 2>&1 || {
    tail -20 "$root/$1.log" >&2
    exit 1
  }
}

first=${FIRST:-$root/a-folder/.build/deb}
[ -n "${FIRST:-}" ] || build a-folder
(
  umask 027
  TZ=Asia/Kolkata LC_ALL=C.UTF-8 LANG=C.UTF-8 build b-folder
)
status=0
for package in "$root"/b-folder/.build/deb/*.deb; do
  if cmp -s "$package" "$first/${package##*/}"; then
    echo "ok      ${package##*/} $(sha256sum < "$package" | cut -c1-16)"
  else
    echo "FAILED  ${package##*/} differs; apt-get install diffoscope shows where"
    status=1
  fi
done
[ $status = 1 ] || rm -rf "$root"
exit $status
