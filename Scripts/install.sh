#!/bin/sh
# Installs, or removes, what a machine needs:
#
#   PREFIX=/usr/local DESTDIR= Scripts/install.sh install|uninstall
#
# `make build` comes first; what has not been built is left out. Programs are taken from BUILT.
set -eu
cd "$(dirname "$0")/.."

root=${PREFIX:-/usr/local}
prefix=${DESTDIR:-}$root
built=${BUILT:-.build/static/release}

# Where apps register how the daemon of the machine starts them (docs/formats/launch.md).
launch=${DESTDIR:-}/etc/locationd/launch

# What lets the daemon ask for Wi-Fi scans, and ask modems. polkit reads rules of packages below /usr only;
# those of an owner are in /etc.
rules=${DESTDIR:-}/etc/polkit-1/rules.d
[ "$root" != /usr ] || rules=$prefix/share/polkit-1/rules.d

# What lets the daemon have the name of GeoClue on the bus, where its configuration wants that. The bus reads
# policies of packages below /usr only; those of an owner are in /etc.
policies=${DESTDIR:-}/etc/dbus-1/system.d
[ "$root" != /usr ] || policies=$prefix/share/dbus-1/system.d

# Each line: the file here, its mode, its place below the prefix.
files() {
  cat << LIST
$built/locationctl 755 bin/locationctl
$built/locationd 755 bin/locationd
$built/locationfleet 755 bin/locationfleet
docs/man/locationctl.1 644 share/man/man1/locationctl.1
docs/man/locationd.8 644 share/man/man8/locationd.8
docs/man/locationfleet.8 644 share/man/man8/locationfleet.8
.build/share/locationctl.bash 644 share/bash-completion/completions/locationctl
.build/share/locationctl.zsh 644 share/zsh/site-functions/_locationctl
.build/share/locationctl.fish 644 share/fish/vendor_completions.d/locationctl.fish
systemd/completions/locationd.bash 644 share/bash-completion/completions/locationd
systemd/completions/locationd.zsh 644 share/zsh/site-functions/_locationd
systemd/completions/locationd.fish 644 share/fish/vendor_completions.d/locationd.fish
systemd/completions/locationfleet.bash 644 share/bash-completion/completions/locationfleet
systemd/completions/locationfleet.zsh 644 share/zsh/site-functions/_locationfleet
systemd/completions/locationfleet.fish 644 share/fish/vendor_completions.d/locationfleet.fish
systemd/locationd.service 644 lib/systemd/system/locationd.service
systemd/locationd.socket 644 lib/systemd/system/locationd.socket
systemd/user/locationd.service 644 lib/systemd/user/locationd.service
systemd/user/locationd.socket 644 lib/systemd/user/locationd.socket
systemd/locationd.sysusers.conf 644 lib/sysusers.d/locationd.conf
systemd/locationfleet.sysusers.conf 644 lib/sysusers.d/locationfleet.conf
systemd/locationd.tmpfiles.conf 644 lib/tmpfiles.d/locationd.conf
systemd/locationfleet@.service 644 lib/systemd/system/locationfleet@.service
systemd/locationfleet-ingress.service 644 lib/systemd/system/locationfleet-ingress.service
systemd/locationfleet-expire.service 644 lib/systemd/system/locationfleet-expire.service
systemd/locationfleet-expire.timer 644 lib/systemd/system/locationfleet-expire.timer
systemd/locationfleet-watchdog.service 644 lib/systemd/system/locationfleet-watchdog.service
systemd/locationfleet-watchdog.sh 755 libexec/locationfleet-watchdog
systemd/locationfleet-sink@.service 644 lib/systemd/system/locationfleet-sink@.service
systemd/50-meridian.preset 644 lib/systemd/system-preset/50-meridian.preset
CHANGELOG.md 644 share/doc/meridian/CHANGELOG.md
systemd/locationd.conf 644 share/doc/meridian/locationd.conf
systemd/locationfleet.conf 644 share/doc/meridian/locationfleet.conf
docs/fleet-server.conf 644 share/doc/meridian/fleet-server.conf
docs/fleet-cluster.conf 644 share/doc/meridian/fleet-cluster.conf
docs/fleet-tenant.conf 644 share/doc/meridian/fleet-tenant.conf
Sources/LocationLink/org.meridian.location.varlink 644 share/meridian/org.meridian.location.varlink
Sources/LocationLink/org.meridian.administration.varlink 644 share/meridian/org.meridian.administration.varlink
Sources/LocationLink/org.meridian.agent.varlink 644 share/meridian/org.meridian.agent.varlink
.build/places.sqlite 644 share/meridian/places.sqlite
LIST
  for file in console/*; do echo "$file 644 share/meridian/$file"; done
}

case ${1:-} in
  install)
    files | while read -r file mode place; do
      [ -e "$file" ] || continue
      install -D -m "$mode" "$file" "$prefix/$place"
      case $place in
        # The unit names the program where it is.
        *.service) sed -i "s|^\(ExecStart[A-Za-z]*\)=/usr/local/|\1=$root/|" "$prefix/$place" ;;
      esac
      echo "installed $prefix/$place"
    done
    for rule in polkit/*.rules; do
      install -D -m 644 "$rule" "$rules/${rule##*/}"
      echo "installed $rules/${rule##*/}"
    done
    for policy in dbus/*.conf; do
      install -D -m 644 "$policy" "$policies/${policy##*/}"
      echo "installed $policies/${policy##*/}"
    done
    install -d -m 755 "$launch"
    echo "installed $launch"
    # The user that the unit of the system runs as, and the group of a fleet's; a package has its own way.
    if [ -z "${DESTDIR:-}" ] && [ "$(id -u)" = 0 ] && command -v systemd-sysusers > /dev/null; then
      systemd-sysusers "$prefix/lib/sysusers.d/locationd.conf" "$prefix/lib/sysusers.d/locationfleet.conf"
    fi
    # The key of the state of the system's daemon, which only this machine opens: its TPM where there is one.
    # It is bound to no measurement of the boot, so an update of the firmware does not lose it.
    credential=/etc/credstore.encrypted/meridian.state-key
    if [ -z "${DESTDIR:-}" ] && [ "$(id -u)" = 0 ] && [ ! -e "$credential" ] \
      && [ -d /run/systemd/system ] && command -v systemd-creds > /dev/null; then
      install -d -m 700 "${credential%/*}"
      if head -c 32 /dev/urandom \
        | systemd-creds encrypt --tpm2-pcrs= --name=meridian.state-key - "$credential"; then
        echo "installed $credential"
      else
        echo "no credential: the key of the state is a file in /var/lib/locationd-key"
      fi
    fi
    ;;
  uninstall)
    files | while read -r file mode place; do
      [ -e "$prefix/$place" ] || continue
      rm "$prefix/$place"
      echo "removed $prefix/$place"
    done
    for rule in polkit/*.rules; do
      [ ! -e "$rules/${rule##*/}" ] || {
        rm "$rules/${rule##*/}"
        echo "removed $rules/${rule##*/}"
      }
    done
    for policy in dbus/*.conf; do
      [ ! -e "$policies/${policy##*/}" ] || {
        rm "$policies/${policy##*/}"
        echo "removed $policies/${policy##*/}"
      }
    done
    # Folders that are this project's alone; what others put there stays.
    for folder in "$prefix/share/doc/meridian" "$prefix/share/meridian/console" "$prefix/share/meridian" \
      "$launch" "${launch%/*}"; do
      [ ! -d "$folder" ] || rmdir --ignore-fail-on-non-empty "$folder"
    done
    ;;
  *)
    echo "usage: Scripts/install.sh install|uninstall" >&2
    exit 2
    ;;
esac
