#!/bin/sh
# Installs, or removes, what a machine needs:
#
#   PREFIX=/usr/local DESTDIR= Scripts/install.sh install|uninstall
#
# Build first (`make install` does). What has not been built is left out.
set -eu
cd "$(dirname "$0")/.."

prefix=${DESTDIR:-}${PREFIX:-/usr/local}

# Each line: the file here, its mode, its place below the prefix.
files() {
  cat << LIST
.build/release/locationctl 755 bin/locationctl
docs/man/locationctl.1 644 share/man/man1/locationctl.1
Scripts/completions/locationctl.bash 644 share/bash-completion/completions/locationctl
Scripts/completions/_locationctl 644 share/zsh/site-functions/_locationctl
Scripts/completions/locationctl.fish 644 share/fish/vendor_completions.d/locationctl.fish
.build/places.sqlite 644 share/meridian/places.sqlite
LIST
}

files | while read -r file mode place; do
  case ${1:-} in
    install)
      [ -e "$file" ] || continue
      install -D -m "$mode" "$file" "$prefix/$place"
      echo "installed $prefix/$place"
      ;;
    uninstall)
      [ -e "$prefix/$place" ] || continue
      rm "$prefix/$place"
      echo "removed $prefix/$place"
      ;;
    *)
      echo "usage: Scripts/install.sh install|uninstall" >&2
      exit 2
      ;;
  esac
done
