#!/bin/sh
# Runs in the container, as root, under its systemd: see Scripts/nspawn.sh.
set -u
cp -a /mnt/share/stage/. /
printf 'source = fixed:48.5,11.5,5\n' > /etc/locationd.conf
systemctl daemon-reload
. /mnt/share/checking.sh

show() { systemctl show -P "$1" locationd.service; }
not() { ! "$@"; }
check "the user of the system's unit is made" systemd-sysusers /usr/lib/sysusers.d/locationd.conf
socket=/run/locationd/locationd.sock
ask='
import json, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(10)
s.sendall(json.dumps({"method": "org.meridian.location." + sys.argv[2], "more": True}).encode() + b"\0")
data, message = b"", b"nothing"
while True:
  try:
    while b"\0" not in data: data += s.recv(65536)
  except TimeoutError: sys.exit("last received: " + message.decode())
  message, _, data = data.partition(b"\0")
  if sys.argv[3] in message.decode(): sys.exit(0)
  if sys.argv[2] == "GetState": sys.exit(message.decode())
'

# An app that watches a region around 48.5, 11.5, and ends as soon as it is inside.
watch='
import json, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(sys.argv[1]); s.settimeout(20)
def call(method, parameters, **how):
  words = {"method": "org.meridian.location." + method, "parameters": parameters, **how}
  s.sendall(json.dumps(words).encode() + b"\0")
circle = {"center": {"latitude": 48.5, "longitude": 11.5}, "radius": 200}
region = {"identifier": "home", "target": {"circle": circle}}
call("Open", {"version": 2}, more=True)
s.recv(65536)
call("Ask", {"request": {"region": {"subscriber": 1, "ask": {"start": region}}}}, oneway=True)
data = b""
while b"\"satisfied\"" not in data:
  data += s.recv(65536) or sys.exit(data.decode())
'

echo "-- system service"
check "the units are well formed" systemd-analyze verify --man=no locationd.service locationd.socket
check "the socket unit starts, the service does not yet" sh -c \
  'systemctl start locationd.socket && ! systemctl -q is-active locationd.service'
check "everyone may connect to the socket" is "$(stat -c %a $socket)" 666
before=$(date +%s%N)
check "the first client starts the service, and is answered" locationctl status
echo "        first answer after $((($(date +%s%N) - before) / 1000000)) ms"
check "the service says that it is ready (Type=notify)" is "$(show ActiveState),$(show SubState)" active,running
check "it runs as a user of its own" not is "$(awk '/^Uid/ {print $2}' "/proc/$(show MainPID)/status")" 0
check "it has one capability" is "$(awk '/CapEff/ {print $2}' "/proc/$(show MainPID)/status")" 0000000000080000
check "and gives it to no program that it starts (ambient)" is "$(awk '/CapAmb/ {print $2}' "/proc/$(show MainPID)/status")" 0000000000000000
check "no program that it starts could get another one (bounding set)" is "$(awk '/CapBnd/ {print $2}' "/proc/$(show MainPID)/status")" 0000000000080000
check "it leaves no core dump" is "$(awk '/core file/ {print $5}' "/proc/$(show MainPID)/limits")" 0
check "its memory is closed to its own user" not setpriv --reuid "$(awk '/^Uid/ {print $2}' "/proc/$(show MainPID)/status")" --clear-groups cat "/proc/$(show MainPID)/environ"
check "its memory and its tasks are limited" is "$(show MemoryMax),$(show MemorySwapMax),$(show TasksMax)" 402653184,0,256
check "its state is its own alone" is "$(stat -c %a /var/lib/private/locationd)" 700
check "the keys of its state are its own alone" is "$(stat -c %a /var/lib/private/locationd-key)" 700
check "a client of another user is served, and receives nothing" \
  runuser -u nobody -- python3 -c "$ask" $socket GetState notDetermined
check "another user may not administer" sh -c 'runuser -u nobody -- locationctl status 2>&1 | grep -q "answers only root"'
python=$(readlink -f "$(command -v python3)")
check "the owner authorizes a program of another user" locationctl authorize "$python@65534" whenInUse
check "which is in the background, as part of a service, and receives nothing" runuser -u nobody -- \
  python3 -c "$ask" $socket Watch insufficientlyInUse
printf 'in-use = assumed\n' >> /etc/locationd.conf
systemctl reload locationd
check "which then has live updates, where use is assumed" runuser -u nobody -- python3 -c "$ask" $socket Watch 48.5
check "the access is written down" sh -c "locationctl data access | grep -q '$python@65534 *live'"
check "the journal has fields" sh -c 'journalctl -q -t locationd LOCATION_CATEGORY=client | grep -q "connected"'
# The source of this test is a place, and is named as its owner has typed it.
check "the journal contains no place" sh -c '! journalctl -q -t locationd -o json | sed "s/fixed:48\.5,11\.5//g" | grep -q "48\.5[^0-9]"'

pid=$(show MainPID)
check "SIGHUP keeps process and socket" sh -c "systemctl reload locationd && locationctl status && [ $pid = \$(systemctl show -P MainPID locationd) ]"
kill -9 "$pid"
check "killed, it is started again" soon sh -c '[ "$(systemctl show -P NRestarts locationd)" = 1 ] && systemctl -q is-active locationd'
# More often than the five starts that systemd allows by default.
for number in $(seq 2 7); do
  soon systemctl -q is-active locationd
  kill -9 "$(show MainPID)"
  soon sh -c "[ \"\$(systemctl show -P NRestarts locationd)\" = $number ]"
done
check "killed seven times, it still comes back, and serves" soon locationctl status
check "and knows what it knew" sh -c "locationctl apps | grep -q '$python@65534 *whenInUse'"

mkdir -p /run/systemd/system/locationd.service.d
printf '[Service]\nWatchdogSec=1\n' > /run/systemd/system/locationd.service.d/watchdog.conf
systemctl daemon-reload
systemctl restart locationd
sleep 3
check "it gives signs of life: the watchdog of 1 s is content for 3 s" is "$(show NRestarts),$(show ActiveState)" 0,active
kill -STOP "$(show MainPID)"
check "hung, it is ended by the watchdog and started again" soon sh -c '[ "$(systemctl show -P NRestarts locationd)" = 1 ] && systemctl -q is-active locationd'
check "the journal says why" soon sh -c 'journalctl -q -u locationd | grep -qi "watchdog timeout"'
check "and it answers again" soon locationctl status
check "erased, nothing is known any more" sh -c 'locationctl data erase --all --yes && [ "$(locationctl apps --json | wc -l)" = 0 ]'
check "stopped, the socket is gone" sh -c "systemctl stop locationd.socket locationd.service && [ ! -e $socket ]"
check "no thread complains of its priority" sh -c '! journalctl -q -u locationd | grep -q "thread priority"'
# 0.1 of it is capset, by which it takes its one right from the programs that it starts.
check "its exposure is at most 2.1" systemd-analyze security --offline=true --threshold=21 /usr/lib/systemd/system/locationd.service

journalctl -q -t locationd > /mnt/share/journal
echo "-- user service"
useradd -m tester
loginctl enable-linger tester
uid=$(id -u tester)
soon systemctl -q is-active "user@$uid.service"
as() { runuser -u tester -- env XDG_RUNTIME_DIR="/run/user/$uid" "$@"; }
# The system's settings are not meant for a daemon of a user.
printf 'source = fixed:10,10,5\nsocket = /run/none\n' > /etc/locationd.conf
home=/home/tester
folder=$home/.config/meridian
install -d -o tester $home/.config $folder
printf 'source = fixed:48.5,11.5,5\nin-use = assumed\n' | install -o tester /dev/stdin $folder/locationd.conf
check "the socket unit starts, the service does not yet" sh -c "
  runuser -u tester -- env XDG_RUNTIME_DIR=/run/user/$uid systemctl --user start locationd.socket &&
  ! runuser -u tester -- env XDG_RUNTIME_DIR=/run/user/$uid systemctl --user -q is-active locationd"
check "only the user may connect to the socket" is "$(stat -c %a,%U "/run/user/$uid/locationd.sock")" 600,tester
check "the first client starts it; its user is its owner" as locationctl status
check "its memory is closed to its own user" not as cat "/proc/$(as systemctl --user show -P MainPID locationd)/environ"
check "it leaves no core dump" is "$(awk '/core file/ {print $5}' "/proc/$(as systemctl --user show -P MainPID locationd)/limits")" 0
check "it is ready" is "$(as systemctl --user show -P SubState locationd)" running
check "its state lies with the user, for the user alone" is "$(stat -c %a,%U /home/tester/.local/state/meridian)" 700,tester
check "the user authorizes" as locationctl authorize "$python" always
check "and an app has live updates" as python3 -c "$ask" "/run/user/$uid/locationd.sock" Watch 48.5
kill -9 "$(as systemctl --user show -P MainPID locationd)"
check "killed, it is started again" soon as locationctl status

install -d -o tester $home/.config/systemd $home/.config/systemd/user
install -o tester -m 644 /dev/stdin $home/.config/systemd/user/whereabouts.service << 'UNIT'
[Service]
Type=oneshot
Environment=LOCATIOND_LAUNCH=location
ExecStart=/bin/sh -c 'echo $LOCATIOND_LAUNCH > %h/launched'
UNIT
as systemctl --user daemon-reload
printf 'app = %s\nunit = whereabouts.service\n' "$python" | install -o tester -m 644 /dev/stdin $folder/launch/app.conf
check "an app watches a region, and ends inside" as python3 -c "$watch" "/run/user/$uid/locationd.sock"
printf 'source = fixed:49.5,11.5,5\n' > $folder/locationd.conf
as systemctl --user reload locationd
check "its unit is started when the device has left" soon grep -qs location $home/launched

# The same event goes to a command: the app has not taken it.
install -m 755 /dev/stdin /usr/local/bin/whereabouts << 'PROGRAM'
#!/bin/sh
exec > "$HOME/came.new"
grep -E 'Seccomp:|NoNewPrivs:' /proc/self/status
echo "$LOCATIOND_LAUNCH $LOCATIOND_SOCKET"
cat /proc/self/cgroup
mv "$HOME/came.new" "$HOME/came"
sleep 600
PROGRAM
printf 'app = %s\ncommand = /usr/local/bin/whereabouts\n' "$python" | install -o tester -m 644 /dev/stdin $folder/launch/app.conf
# What holds every service of this container.
as systemd-run --user --quiet --wait --pipe grep -E 'Seccomp:|NoNewPrivs:' /proc/self/status > /tmp/ordinary
as systemctl --user reload locationd
check "its command is started, too" soon test -e $home/came
check "it knows why, and where the daemon is" grep -q "^location /run/user/$uid/locationd.sock$" $home/came
check "the sandbox of the daemon does not hold it" is "$(head -2 $home/came)" "$(cat /tmp/ordinary)"
as systemctl --user restart locationd
check "it outlives the daemon" pgrep -u tester -x whereabouts
echo "-- apps that are frozen"
# A receiver on port 4001 that is where a file says, and silent without it: home, away, from where it goes
# home at 30 m/s, or, with a clock that runs a hundred times as fast, dwell.
install -m 644 /dev/stdin /usr/local/lib/receiver.py << 'PROGRAM'
import socket, sys, time
def sentence(text):
  sum = 0
  for byte in text.encode(): sum ^= byte
  return f"${text}*{sum:02X}\r\n".encode()
def place():
  try: return open(sys.argv[1]).read().strip()
  except OSError: return ""
server = socket.create_server(("127.0.0.1", 4001))
past, latitude = time.time() - 86400, None
while True:
  client = server.accept()[0]
  try:
    while True:
      where = place()
      if not where: latitude = None
      if where:
        target = 48.508 if where == "away" else 48.5
        step = 0 if latitude is None else min(0.00027, max(-0.00027, target - latitude))
        latitude = target if latitude is None else latitude + step
        if where == "dwell": past += 5
        now = time.gmtime(past if where == "dwell" else time.time())
        clock, degrees = time.strftime("%H%M%S.000", now), f"48{(latitude - 48) * 60:07.4f}"
        client.sendall(
          sentence(f"GPRMC,{clock},A,{degrees},N,01130.000,E,{abs(step) * 216_000:05.1f},,{time.strftime('%d%m%y', now)},,,A")
          + sentence(f"GPGGA,{clock},{degrees},N,01130.000,E,1,08,0.9,545.4,M,46.9,M,,"))
      time.sleep(0.05 if where == "dwell" else 1)
  except OSError: pass
PROGRAM
# An app with one service, begun while it is in use; it writes down what it receives.
install -m 644 /dev/stdin /usr/local/lib/sleeper.py << 'PROGRAM'
import json, os, socket, sys
s = socket.socket(socket.AF_UNIX); s.connect(os.environ["LOCATIOND_SOCKET"])
def call(method, parameters, **how):
  words = {"method": "org.meridian.location." + method, "parameters": parameters, **how}
  s.sendall(json.dumps(words).encode() + b"\0")
def ask(kind, words): call("Ask", {"request": {kind: words}}, oneway=True)
circle = {"center": {"latitude": 48.5, "longitude": 11.5}, "radius": 200}
beacon = {"uuid": "E2C56DB5-DFFB-48D2-B060-D0F5A71096E0", "major": 1, "minor": 2}
always = ("session", {"subscriber": 1, "ask": {"open": {"goal": "always"}}})
activity = ("session", {"subscriber": 1, "ask": {"openBackgroundActivity": None}})
live = ("live", {"subscriber": 2, "ask": {"start": {}}})
observe = ("authorization", {"observe": {"subscriber": 1}})
def region(target):
  # No region of the checks before, whose state is known.
  start = {"identifier": "shore", "target": target}
  # The state is asked for, because only a crossing or a place inside is delivered by itself.
  return [observe] + [("region", {"subscriber": 1, "ask": {ask: start}}) for ask in ("start", "state")]
monitor = [
  ("monitor", {"subscriber": 2, "ask": {"open": {"name": "places"}}}),
  ("monitor", {"subscriber": 2, "ask": {"add": {
    "identifier": "home", "target": {"circle": circle}, "assuming": "unknown"}}}),
  ("monitor", {"subscriber": 2, "ask": {"next": {"after": 0}}})]
# What it asks for, what shows that it may be frozen, and what it is woken for.
cells = {
  # Of a device that knows no place yet: the first event is the first place (SLC-1).
  "significantChanges": (
    [observe, ("significantChanges", {"subscriber": 1, "on": True})], None, b'"fixes"'),
  "visits": ([observe, ("visits", {"on": True, "subscriber": 1})], None, b'"visit"'),
  "region": (region({"circle": circle}), b'"unsatisfied"', b'"entered"'),
  "beacon": (region({"beacon": beacon}), b'"unsatisfied"', b'"entered"'),
  "live": ([always, live], None, b'"fix"'),
  "live_activity": ([activity, live], None, b'"fix"'),
  "monitor": ([always, *monitor], None, b'"satisfied"'),
  "monitor_activity": ([activity, *monitor], None, b'"satisfied"'),
}
asks, first, sign = cells[sys.argv[1]]
call("Open", {"version": 2}, more=True)
s.recv(65536)
ask("life", {"now": "foreground"})
for kind, words in asks: ask(kind, words)
def note(name): open(os.path.expanduser("~/" + name), "w").close()
data = b""
def hear(what, name):
  global data
  while what not in data:
    more = s.recv(65536)
    if not more: note("cut"); sys.exit("cut off")
    data += more
  note(name)
if first: hear(first, "known")
ask("life", {"now": "background"})
note("ready")
hear(sign, "heard")
while s.recv(65536): pass
note("cut")
PROGRAM
# Apps that hold a background activity session declare the mode; so they have an interpreter of their own.
install -D -m 755 "$python" /usr/local/lib/active/active
cat > /usr/local/lib/active/active.plist << 'LIST'
<?xml version="1.0" encoding="UTF-8"?>
<plist version="1.0"><dict>
<key>CFBundleIdentifier</key><string>net.example.active</string>
<key>NSLocationWhenInUseUsageDescription</key><string>To test.</string>
<key>UIBackgroundModes</key><array><string>location</string></array>
</dict></plist>
LIST
install -o tester -m 644 /dev/stdin $home/.config/systemd/user/sleeper@.service << 'UNIT'
[Service]
Environment=LOCATIOND_SOCKET=%t/locationd.sock
ExecStart=/bin/sh -c 'exec $$(cat %h/interpreter) /usr/local/lib/sleeper.py %i'
UNIT
rm -f $folder/launch/app.conf
pkill -u tester -x whereabouts
python3 /usr/local/lib/receiver.py $home/place &
printf 'source = nmea+tcp://127.0.0.1:4001\n' > $folder/locationd.conf
# A bluetoothd of python-dbusmock with one beacon, where the machine that runs this has it.
mocks=
if [ -d /mnt/share/mocks ]; then
  mkfifo /run/mock
  sleep 1000 > /run/mock &
  PYTHONPATH=/mnt/share python3 /mnt/share/mocks/mock.py < /run/mock > /tmp/mock 2>> /mnt/share/errors &
  soon test -s /tmp/mock
  mocks=$(head -1 /tmp/mock)
  for line in "bluetoothd start" adapter "power on" \
    "beacon C0:00:00:00:00:01 0215e2c56db5dffb48d2b060d0f5a71096e000010002c5"; do echo "$line"; done > /run/mock
  soon sh -c '[ "$(grep -cx ok /tmp/mock)" = 4 ]'
  install -D -o tester -m 644 /dev/stdin $home/.config/systemd/user/locationd.service.d/bus.conf << UNIT
[Service]
Environment=DBUS_SYSTEM_BUS_ADDRESS=$mocks
UNIT
  printf 'source = bluez:\n' >> $folder/locationd.conf
fi
as systemctl --user daemon-reload
as locationctl authorize "$python" always
as locationctl authorize net.example.active whenInUse
frozen() { [ "$(as systemctl --user show -P FreezerState "sleeper@$1")" = "$2" ]; }
suspended() { as locationctl apps | grep -q 'suspended (frozen)'; }
# Each cell of the delivery table that says W: a unit that is frozen is thawed, hears the event, and is
# frozen again.
wakes() {
  service=$1
  rm -f $home/ready $home/known $home/heard $home/cut $home/place
  echo "$2" > $home/interpreter
  [ -z "$3" ] || echo "$3" > $home/place
  as systemctl --user restart locationd
  as systemctl --user start "sleeper@$service"
  soon test -e $home/ready || soon test -e $home/ready
  as systemctl --user freeze "sleeper@$service"
  check "W $service: the app is suspended" soon suspended
  rm -f $home/heard
  if [ "$service" = beacon ]; then
    # The adapter waits for beacons by itself, and reports the first one.
    echo "await monitor" > /run/mock
    echo "found C0:00:00:00:00:01" > /run/mock
  else
    echo "$4" > $home/place
  fi
  check "W $service: it is thawed, and hears the event" sh -c \
    "for _ in \$(seq 900); do [ -e $home/heard ] && exit 0; sleep 0.1; done; exit 1"
  rm -f $home/place
  check "W $service: it is frozen again" soon frozen "$service" frozen
  check "W $service: it was not cut off" test ! -e $home/cut
  as systemctl --user stop "sleeper@$service"
}
active=/usr/local/lib/active/active
as locationctl data erase --all --yes > /dev/null
as locationctl authorize "$python" always > /dev/null
as locationctl authorize net.example.active whenInUse > /dev/null
wakes significantChanges "$python" "" home
wakes visits "$python" "" dwell
wakes region "$python" away home
wakes live "$python" "" home
wakes live_activity $active "" home
wakes monitor "$python" "" home
wakes monitor_activity $active "" home
if [ -n "$mocks" ]; then
  wakes beacon "$python" "" ""
else
  echo "skipped W beacon: no python-dbusmock in .build/venv of the machine that runs this"
fi
as systemctl --user stop locationd.socket locationd.service

echo "-- an app that is updated"
# Two versions of a package, each with its program at a path of its own, and a stranger with the same name.
boat() {
  install -D -m 755 "$python" "$1/boat"
  sed 's/net.example.active/net.example.boat/' /usr/local/lib/active/active.plist > "$1/boat.plist"
}
package() {
  boat "/tmp/boat-$1/opt/boat/$1"
  install -d "/tmp/boat-$1/DEBIAN"
  printf 'Package: boat\nVersion: %s\nArchitecture: all\nMaintainer: Test <test@example.net>\nDescription: test\n' \
    "$1" > "/tmp/boat-$1/DEBIAN/control"
  dpkg-deb --root-owner-group --build "/tmp/boat-$1" "/tmp/boat-$1.deb" && dpkg --install "/tmp/boat-$1.deb"
}
asks() { runuser -u nobody -- env PYTHONHOME=/usr "$1" -c "$ask" $socket GetState "$2"; }
printf 'source = fixed:48.5,11.5,5\n' > /etc/locationd.conf
systemctl start locationd.socket
check "a package is installed" package 1
locationctl authorize net.example.boat@65534 whenInUse
check "its program has what was decided" asks /opt/boat/1/boat whenInUse
check "its next version is installed, at another path" package 2
check "which has it, too" asks /opt/boat/2/boat whenInUse
boat /opt/stranger
check "a program of no package does not" asks /opt/stranger/boat notDetermined
check "the journal says that the name has passed" sh -c \
  "journalctl -q -t locationd | grep -q 'passes from /opt/boat/1/boat to /opt/boat/2/boat: both are of dpkg:boat'"
systemctl stop locationd.socket locationd.service

echo "-- apps that the daemon of the system cannot wake"
# It has no right to thaw a unit: systemd asks polkit, which allows nobody.
printf 'source = nmea+tcp://127.0.0.1:4001\n' > /etc/locationd.conf
mkdir -m 777 /tmp/sleeper
systemctl start locationd.socket
locationctl authorize "$python@65534" always
systemd-run --quiet --unit=sleeper -p User=nobody -p Environment=HOME=/tmp/sleeper \
  -p Environment=LOCATIOND_SOCKET=$socket /usr/bin/python3 /usr/local/lib/sleeper.py live
soon test -e /tmp/sleeper/ready
systemctl freeze sleeper
check "the app is suspended" soon sh -c "locationctl apps | grep -q 'suspended (frozen)'"
echo home > $home/place
check "the journal says that it cannot be woken, and why" soon sh -c \
  "journalctl -q -t locationd | grep -q 'an event waits until it continues: systemd refuses it'"
check "apps says that it cannot be woken" soon sh -c "locationctl apps | grep -q 'cannot be woken'"
check "so does doctor" sh -c "locationctl doctor --app '$python@65534' | grep -q 'an event waits until it continues'"
check "it has heard nothing" test ! -e /tmp/sleeper/heard
systemctl thaw sleeper
check "it hears when it continues" soon test -e /tmp/sleeper/heard
check "it was not cut off" test ! -e /tmp/sleeper/cut
systemctl stop sleeper locationd.socket locationd.service
. /mnt/share/setup.sh
check "its exposure is at most 6.3" systemd-analyze security --offline=true --threshold=63 /usr/lib/systemd/user/locationd.service
echo done
