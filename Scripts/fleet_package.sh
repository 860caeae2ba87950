#!/bin/sh
# Proves the package of a fleet in a booted systemd: meridian-fleet beside Debian's nats-server with
# docs/fleet-server.conf (TLS, a user for each kind of program), the units with their sandboxes, fixes by HTTP
# through a worker that is killed to a webhook, upgrade, removal, and purge (Scripts/nspawn/fleet.sh). Prints a
# line for each check; status 1 when one fails.
#
#   make deb && sudo Scripts/fleet_package.sh
#
# Needs root, systemd-container, mmdebstrap, openssl, and python3. The tree of the container is that of
# Scripts/packages.sh; nothing is left running.
set -eu
cd "$(dirname "$0")/.."

out=${OUT:-.build/deb}
root=${MERIDIAN_ROOTFS:-$PWD/.build/packages/rootfs}
packages=$(sed -n 's/^packages=//p' Scripts/nspawn.sh),$(sed -n 's/^packages=.*),//p' Scripts/packages.sh)
. Scripts/nspawn/boot.sh
need openssl openssl
need python3 python3
ls "$out"/meridian-fleet_*.deb > /dev/null 2>&1 || { echo "there are no packages: make deb" >&2; exit 1; }
tree "$root" "$packages"
ls .build/packages/nats-server_*.deb > /dev/null 2>&1 ||
  Scripts/debian.sh binary nats-server .build/packages

share=$(mktemp -d)
trap 'rm -rf "$share"' EXIT INT TERM
. Scripts/nspawn/before.sh
before "$share" "$out"/meridian_*.deb "$out"/meridian-fleet_*.deb
cp .build/packages/nats-server_*.deb Tests/FleetWorkerTests/Sink/webhook.py "$share/"
python3 Scripts/nspawn/fleet_fixes.py "$share"
cp Scripts/nspawn/fleet_post.py "$share/post.py"
(
  cd "$share"
  new="-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2"
  # shellcheck disable=SC2086
  {
    openssl req -x509 $new -keyout ca-key.pem -out authorities.pem -subj /CN=authority
    for name in server client; do
      openssl req -x509 $new -keyout $name-key.pem -out $name.pem -subj /CN=$name \
        -addext subjectAltName=IP:127.0.0.1 -addext extendedKeyUsage=${name}Auth \
        -addext basicConstraints=critical,CA:FALSE -CA authorities.pem -CAkey ca-key.pem
    done
  } 2> openssl
  rm ca-key.pem
)
cp Scripts/nspawn/fleet.sh "$share/check.sh"
boot "$root" "$share" 540
cat "$share/results"
[ -z "${JOURNAL:-}" ] || cat "$share/journal-nats" "$share/journal" > "$JOURNAL" || true
grep -q '^done' "$share/results" || { cat "$share/errors" >&2; exit 1; }
! grep -q '^FAILED' "$share/results" || { cat "$share/errors" >&2; exit 1; }
