# Sourced by check.sh: `locationctl setup` on a machine whose service runs (SETUP-4, SETUP-6, SETUP-9, SETUP-10).
echo "-- setup, and its removal"
own=/etc/locationd.conf
# The service runs with what a person has written.
rm -f /run/systemd/system/locationd.service.d/watchdog.conf
printf '[Service]\nDeviceAllow=char-pts rw\n' > /run/systemd/system/locationd.service.d/pts.conf
systemctl daemon-reload
printf 'source = fixed:49.25,10.75,5\nin-use = assumed\n' > $own
systemctl -q disable locationd.service locationd.socket
systemctl start locationd.socket
locationctl status > /dev/null
locationctl authorize "$python@65534" whenInUse > /dev/null
# A receiver at a serial port, which has one reader.
systemd-run --quiet --unit=receiver /usr/bin/python3 /mnt/share/receiver.py /dev/ttyUSB0 4800
soon test -e /dev/ttyUSB0

runs() { [ "$(show SubState)" = running ] && systemctl -q is-active locationd.socket; }
idle() { ! systemctl -q is-active locationd.service && ! systemctl -q is-active locationd.socket; }
disabled() { ! systemctl -q is-enabled locationd.service && ! systemctl -q is-enabled locationd.socket; }
enabled() { systemctl -q is-enabled locationd.service && systemctl -q is-enabled locationd.socket; }
uses() { locationctl status | grep -q "$1"; }
wrote() { grep -q '^source = nmea:///dev/ttyUSB0?baud=4800' $own; }

pid=$(show MainPID)
check "setup without an answer writes nothing" sh -c \
  "! locationctl setup < /dev/null && grep -qx 'source = fixed:49.25,10.75,5' $own && [ ! -e $own.before-setup ]"
check "and what ran before runs again" soon runs
check "as another process: it was stopped meanwhile" not is "$(show MainPID)" "$pid"

pid=$(show MainPID)
check "setup --yes finds a receiver" sh -c 'locationctl setup --yes > /tmp/setup 2>&1 || { cat /tmp/setup; exit 1; }'
check "it has written its source" wrote
check "it has shown the first position" grep -q '48\.5' /tmp/setup
check "it has kept what was there beside it" grep -qx 'source = fixed:49.25,10.75,5' $own.before-setup
check "it has kept each setting" grep -qx 'in-use = assumed' $own
check "the service runs, and its socket" soon runs
check "both are enabled, for the next start of the machine" enabled
check "the service is another process" not is "$(show MainPID)" "$pid"
check "which has the receiver" soon uses /dev/ttyUSB0
check "an app has live updates of it" runuser -u nobody -- python3 -c "$ask" $socket Watch 48.5

check "setup --yes finds the receiver again, which the service was reading" sh -c \
  'locationctl setup --yes > /tmp/setup 2>&1 && grep -q "48\.5" /tmp/setup || { cat /tmp/setup; exit 1; }'
check "it has written the same source" wrote
check "what a person wrote is still beside it" grep -qx 'source = fixed:49.25,10.75,5' $own.before-setup
check "the service runs, and its socket" soon runs
check "the app has live updates" runuser -u nobody -- python3 -c "$ask" $socket Watch 48.5

check "setup --remove puts back what a person wrote" sh -c \
  "locationctl setup --remove && grep -qx 'source = fixed:49.25,10.75,5' $own && [ ! -e $own.before-setup ]"
check "the service runs with it" soon uses fixed:
check "and is not enabled, as before setup" disabled
check "and the app has its place" runuser -u nobody -- python3 -c "$ask" $socket Watch 49.25

rm -f $own
check "setup --yes, where nobody has written anything" sh -c 'locationctl setup --yes > /tmp/setup 2>&1 || { cat /tmp/setup; exit 1; }'
check "the service runs, and its socket" soon runs
check "setup --remove leaves no configuration" sh -c "locationctl setup --remove && [ ! -e $own ] && [ ! -e $own.before-setup ]"
check "service and socket are stopped" idle
check "and start no more" disabled
check "no socket is left that a program would start the service by" test ! -e $socket
systemctl -q enable locationd.service
check "setup --yes, where both are enabled" sh -c 'locationctl setup --yes > /tmp/setup 2>&1 || { cat /tmp/setup; exit 1; }'
check "setup --remove leaves them enabled" sh -c 'locationctl setup --remove'
check "as they were" enabled
check "and stopped" idle
systemctl -q disable locationd.service locationd.socket
check "a second --remove says that there is nothing to remove" not locationctl setup --remove
systemctl stop receiver
rm -f /run/systemd/system/locationd.service.d/pts.conf
systemctl daemon-reload
