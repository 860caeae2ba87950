#!/bin/sh
# Installs, or removes, what a machine needs:
#
#   PREFIX=/usr/local DESTDIR= Scripts/install.sh install|uninstall
#
# `make build` comes first; what has not been built is left out.
set -eu
cd "$(dirname "$0")/.."

prefix=${DESTDIR:-}${PREFIX:-/usr/local}

# Each line: the file here, its mode, its place below the prefix.
files() {
  cat << LIST
.build/release/locationctl 755 bin/locationctl
.build/share/locationctl.1 644 share/man/man1/locationctl.1
.build/share/locationctl.bash 644 share/bash-completion/completions/locationctl
.build/share/locationctl.zsh 644 share/zsh/site-functions/_locationctl
.build/share/locationctl.fish 644 share/fish/vendor_completions.d/locationctl.fish
.build/release/locationd 755 bin/locationd
docs/man/locationd.8 644 share/man/man8/locationd.8
systemd/locationd.service 644 lib/systemd/system/locationd.service
systemd/locationd.socket 644 lib/systemd/system/locationd.socket
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
