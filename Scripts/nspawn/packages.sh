#!/bin/sh
# Runs in the container, as root, under its systemd: see Scripts/packages.sh.
set -u
export DEBIAN_FRONTEND=noninteractive
. /mnt/share/checking.sh

show() { systemctl show -P "$1" locationd.service; }
apt() { apt-get -qq -y -o Dpkg::Use-Pty=0 "$@"; }

# The first position by GeoClue, on a machine on which none of it was installed.
demo=/usr/libexec/geoclue-2.0/demos/where-am-i
before=$(date +%s%N)
printf 'source = fixed:48.5,11.5,5\nin-use = assumed\n' > /etc/locationd.conf
check "the packages are installed, with a program that depends on geoclue-2.0" \
  apt install /mnt/share/before/*.deb /mnt/share/geoclue-2-demo_*.deb
check "the service runs after the installation" soon is "$(show SubState)" running
check "its user was made" getent passwd locationd
check "the service is enabled" systemctl -q is-enabled locationd.service locationd.socket
check "no user is given a daemon of their own" sh -c \
  '! systemctl -q --global is-enabled locationd.service && ! systemctl -q --global is-enabled locationd.socket'
installed=$(date +%s%N)
check "the owner authorizes where-am-i" locationctl authorize "$demo@0" whenInUse
check "where-am-i prints the position of fixed:" sh -c "timeout 30 $demo -t 20 > /tmp/where 2>&1 & 
  for _ in \$(seq 200); do grep -q '48\\.5' /tmp/where && exit 0; sleep 0.1; done; cat /tmp/where; exit 1"
# Tenths of a second, from the start of `apt install`.
tenths() { echo "$((($1 - before) / 1000000000)).$((($1 - before) / 100000000 % 10))"; }
now=$(date +%s%N)
! grep -q '48\.5' /tmp/where ||
  echo "        first position $(tenths "$now") s after apt install began, $(tenths "$installed") s of which it took"
autostart=/etc/xdg/autostart/locationctl-agent.desktop
check "graphical sessions start the agent" grep -qx 'Exec=/usr/bin/locationctl agent --desktop' $autostart
tried=$(sed -n 's/^TryExec=//p' $autostart)
check "where the package is installed" test -x "$tried"
check "which says that there is no display here, and ends" sh -c \
  'locationctl agent --desktop 2>&1 | grep -q "there is no display"'
ls -l /usr/bin/locationd /usr/bin/locationctl | awk '{ printf "        %s: %.1f MB\n", $9, $5 / 1e6 }'

check "the packages are upgraded" apt install /mnt/share/now/*.deb
check "the service runs after the upgrade" soon locationctl status
check "what was decided is kept by the upgrade" sh -c "locationctl apps | grep -q where-am-i"
check "GeoClue's name is served" soon \
  busctl call org.freedesktop.GeoClue2 /org/freedesktop/GeoClue2/Manager org.freedesktop.DBus.Peer Ping

check "the fleet's worker finds what it is linked with" locationfleet --help
check "the group of the fleet's units is made" getent group locationfleet
check "the fleet's units are well formed" systemd-analyze verify --man=no locationfleet@1.service locationfleet-ingress.service \
  locationfleet-watchdog.service

check "the packages are removed" apt remove meridian meridian-geoclue meridian-fleet geoclue-2-demo
check "the service has ended" sh -c '! systemctl -q is-active locationd.service'
check "no program is left" sh -c '! command -v locationd && ! command -v locationctl && ! command -v locationfleet'
check "graphical sessions start no agent, though the file that starts it is kept" sh -c \
  "[ -e $autostart ] && [ ! -L $tried ]"
check "state and configuration are kept by the removal" sh -c \
  'ls /var/lib/private/locationd/state.sqlite /etc/locationd.conf'
check "installed again, it knows what it knew" sh -c '
  apt-get -qq -y install /mnt/share/now/*.deb && locationctl apps | grep -q where-am-i'
check "the packages are purged" apt purge meridian meridian-geoclue meridian-fleet
check "nothing of them is left by the purge" sh -c '
  for path in /var/lib/private/locationd /var/lib/locationd /etc/locationd.conf /etc/locationd \
    /run/locationd /usr/share/meridian '"$autostart"'; do
    [ ! -e "$path" ] && [ ! -L "$path" ] || { echo "$path"; exit 1; }
  done'
echo "done"
