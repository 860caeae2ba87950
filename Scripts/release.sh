#!/bin/sh
# What a release needs. The version is in one place, Release.swift; a tag is v and that version.
#
#   Scripts/release.sh check [TAG]     whether manual pages, CHANGELOG.md, and the tag have the version
#   Scripts/release.sh notes           what CHANGELOG.md says of the version
#   Scripts/release.sh date            writes today's date into CHANGELOG.md, before the tag is made
#
# CHANGELOG.md has a heading for each release, `## VERSION (DATE)`; before the release it says `not released yet`.
set -eu
cd "${MERIDIAN:-$(dirname "$0")/..}"
version=$(sed -n 's/.*version = "\(.*\)"/\1/p' Sources/LocationModel/Service/Release.swift)
[ -n "$version" ] || { echo "release: Release.swift names no version" >&2; exit 1; }
heading="## $version ("

check() {
  status=0
  wrong() {
    echo "release: $1" >&2
    status=1
  }
  for page in docs/man/*.[18]; do
    grep -qF "\"Meridian $version\"" "$page" || wrong "$page does not name version $version on its first line"
  done
  first=$(grep -m 1 '^## ' CHANGELOG.md || true)
  case $first in
    "$heading"*) ;;
    *) wrong "the first heading of CHANGELOG.md is '$first', not '$heading…)'" ;;
  esac
  if [ $# -gt 0 ]; then
    [ "$1" = "v$version" ] || wrong "the tag is $1, and the version is $version: name it v$version"
    echo "$first" | grep -qE ' \([0-9]{4}-[0-9]{2}-[0-9]{2}\)$' ||
      wrong "CHANGELOG.md does not date $version: Scripts/release.sh date"
  fi
  [ $status = 0 ] && echo "version $version"
  return $status
}

case ${1:-} in
  check)
    shift
    check "$@"
    ;;
  notes) awk -v heading="$heading" '/^## / { on = index($0, heading) == 1; next } on' CHANGELOG.md ;;
  date)
    today=$(date -u +%Y-%m-%d)
    sed -i "s/^## $version (not released yet)\$/## $version ($today)/" CHANGELOG.md
    grep -qF "$heading$today)" CHANGELOG.md || { echo "release: CHANGELOG.md has $version dated already" >&2; exit 1; }
    ;;
  *)
    echo "usage: Scripts/release.sh check [TAG] | notes | date" >&2
    exit 2
    ;;
esac
