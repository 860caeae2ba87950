#!/bin/sh
# Installs the Debian packages that are missing, and does nothing when none is.
#
#   Scripts/bootstrap.sh build|docs|places|test|geoclue|gpsd|console|bench|nspawn|qemu
set -eu

# What Swift links with, and what the package links to.
packages="make g++ libnats-dev libsqlite3-dev libsodium-dev libsystemd-dev pkg-config"
case ${1:-build} in
  build) ;;
  docs) packages="$packages python3" ;;
  # Downloads from PyPI and from Debian, and unpacks them.
  places) packages="python3 python3-venv ca-certificates debian-archive-keyring" ;;
  # Real programs that the tests talk to, and Python for the scripts.
  test)
    packages="$packages python3 python3-venv python3-dbus python3-gi dbus-daemon umockdev gpsd"
    packages="$packages gpsd-clients osmium-tool bubblewrap openssl util-linux ca-certificates"
    packages="$packages debian-archive-keyring xvfb openbox python3-xlib sway weston bash minisign strace nats-server"
    # A keyring.
    packages="$packages gnome-keyring"
    # Programs that ask GeoClue.
    packages="$packages geoclue-2-demo redshift gir1.2-geoclue-2.0"
    # Devices of a fleet, and a broker that its sinks publish at. What runs PostGIS is in bench: it is large.
    packages="$packages mosquitto-clients curl mosquitto"
    # The console, and a fleet's devices by HTTP.
    packages="$packages libmicrohttpd-dev libjs-leaflet"
    ;;
  # A browser and its driver, the library for HTTP with the header that its numbers are compared with, and the
  # library of maps, for Scripts/console.sh.
  console)
    packages="$packages python3 python3-venv ca-certificates chromium chromium-driver libmicrohttpd-dev"
    packages="$packages libjs-leaflet iproute2 util-linux"
    ;;
  # Programs for gpsd, and gpsd itself, for Scripts/gpsd_port.sh.
  gpsd) packages="$packages python3 gpsd gpsd-clients python3-gps iproute2 util-linux bsdutils" ;;
  # Programs that ask GeoClue, and GeoClue itself, for Scripts/geoclue.sh.
  geoclue)
    packages="$packages python3 python3-dbus python3-gi dbus-daemon libglib2.0-bin iproute2 util-linux"
    packages="$packages geoclue-2.0 geoclue-2-demo redshift gammastep gir1.2-geoclue-2.0"
    packages="$packages python3-pyqt5.qtpositioning libqt5positioning5-plugins"
    packages="$packages python3-pyqt6.qtpositioning libqt6positioning6-plugins"
    packages="$packages xdg-desktop-portal bubblewrap firefox-esr"
    packages="$packages gnome-weather gir1.2-gweather-4.0 gir1.2-atspi-2.0 at-spi2-core xvfb"
    ;;
  # A container with a systemd of its own, for Scripts/nspawn.sh.
  nspawn) packages="$packages systemd-container mmdebstrap" ;;
  # A machine that is emulated, for Scripts/qemu.sh.
  qemu) packages="$packages qemu-system-x86 mmdebstrap cpio kmod python3 python3-venv" ;;
  # What the figures are compared with.
  bench)
    packages="$packages python3 python3-gpxpy gpsd gpsd-clients libgps-dev"
    packages="$packages geographiclib-tools libgeographiclib-dev"
    packages="$packages geoclue-2.0 dbus-daemon python3-dbus python3-gi libglib2.0-bin libsystemd-dev"
    packages="$packages libboost-dev postgresql-15-postgis-3 redis-server python3-venv python3-dev nats-server"
    ;;
  *)
    echo "usage: Scripts/bootstrap.sh build|docs|places|test|geoclue|gpsd|console|bench|nspawn|qemu" >&2
    exit 2
    ;;
esac

missing=
for package in $packages; do
  status=$(dpkg-query -W -f='${Status}' "$package" 2> /dev/null) || status=
  [ "$status" = "install ok installed" ] || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get > /dev/null; then
  echo "This system has no apt. Install what corresponds to:$missing" >&2
  exit 1
fi

as_root() {
  if [ "$(id -u)" = 0 ]; then env "$@"; else sudo env "$@"; fi
}

# Nothing that is installed here is to be started as a service of the system.
policy=/usr/sbin/policy-rc.d
if [ ! -e "$policy" ]; then
  trap 'as_root rm -f "$policy"' EXIT INT TERM
  printf '#!/bin/sh\nexit 101\n' | as_root tee "$policy" > /dev/null
  as_root chmod 755 "$policy"
fi

echo "installing:$missing"
as_root DEBIAN_FRONTEND=noninteractive apt-get -qq update
as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends install $missing \
  < /dev/null
