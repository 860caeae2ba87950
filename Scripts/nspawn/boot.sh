# Sourced by scripts that try packages on a machine of their own: a container with a booted systemd.
mirror=${DEBIAN_MIRROR:-http://deb.debian.org/debian}
need() {
  command -v "$1" > /dev/null || { echo "skipped: no $1; apt-get install $2" >&2; exit 77; }
}
[ "$(id -u)" = 0 ] || { echo "skipped: containers need root; the same with sudo" >&2; exit 77; }
need systemd-nspawn systemd-container

# tree ROOT PACKAGES [OPTION…]: makes Debian 12 with these packages, unless it is there.
tree() {
  [ "$(cat "$1/packages" 2> /dev/null)" != "$2" ] || return 0
  need mmdebstrap mmdebstrap
  echo "making the tree of the container in $1"
  mkdir -p "${1%/*}"
  rm -rf "$1"
  tree_root=$1 tree_packages=$2
  shift 2
  mmdebstrap --quiet --variant=minbase --include="$tree_packages" "$@" bookworm "$tree_root" "$mirror"
  echo "$tree_packages" > "$tree_root/packages"
}

# boot ROOT SHARE SECONDS: boots it, without a network and with what it changes kept in memory, and runs
# check.sh of the folder SHARE there as root; what it prints is in SHARE/results and SHARE/errors.
boot() {
  cp Scripts/nspawn/checking.sh "$2/"
  cat > "$2/meridian-check.service" << UNIT
[Unit]
Description=Checks of Meridian
After=multi-user.target
[Service]
Type=oneshot
ExecStart=/mnt/share/check.sh
StandardOutput=file:/mnt/share/results
StandardError=file:/mnt/share/errors
TimeoutStartSec=$(($3 - 40))
ExecStopPost=/usr/bin/systemctl --no-block poweroff
UNIT
  # Only the one hierarchy of version 2 freezes units; a host may have older ones as well.
  SYSTEMD_NSPAWN_UNIFIED_HIERARCHY=1 \
    timeout "$3" systemd-nspawn --quiet --directory="$1" --volatile=overlay --register=no --keep-unit \
    --private-network --bind="$2:/mnt/share" \
    --bind-ro="$2/meridian-check.service:/etc/systemd/system/meridian-check.service" \
    --boot systemd.unit=multi-user.target systemd.wants=meridian-check.service \
    systemd.show_status=0 < /dev/null > "$2/console" 2>&1 || true
  [ -s "$2/results" ] || { cat "$2/console" "$2/errors" >&2; return 1; }
}
