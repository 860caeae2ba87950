#!/bin/sh
# Compares the public interface of the products for apps with that of the last release, the last tag v* (or TAG), and
# ends with status 1 where an app that compiles with that release would no longer compile.
#
#   Scripts/api.sh [TAG]
#
# A break that is meant is a line of .api-breaks, as the comparison prints it; the file is emptied by the release.
# The first run builds the release, too. MERIDIAN names another package than this one.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
cd "${MERIDIAN:-.}"
tag=${1:-$(git describe --tags --abbrev=0 --match 'v*' 2> /dev/null || true)}
if [ -z "$tag" ]; then
  echo "there is no release to compare with: no tag v* before this commit"
  exit 0
fi
git rev-parse -q --verify "$tag^{commit}" > /dev/null || { echo "api: there is no tag $tag" >&2; exit 2; }

# The libraries of the manifest, as it names them; the interface of others is no app's business.
products=$(sed -n 's/^ *\.library(name: "\([A-Za-z]*\)", targets:.*/--products \1/p' Package.swift)
[ -n "$products" ] || { echo "api: Package.swift names no library" >&2; exit 2; }
set --
[ ! -s .api-breaks ] || set -- --breakage-allowlist-path .api-breaks
# shellcheck disable=SC2086
if swift package diagnose-api-breaking-changes "$tag" $products "$@"; then
  echo "no app that compiles with $tag is broken"
else
  echo "api: not compatible with $tag: restore what is named above, or name it in .api-breaks, with an entry in CHANGELOG.md" >&2
  exit 1
fi
