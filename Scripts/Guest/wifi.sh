# Part of the guest's init: simulated Wi-Fi radios (mac80211_hwsim) with a medium of our own, hostapd,
# NetworkManager, and our programs as users without any capability.

# The radios of street.sh, which nobody hears before.
street="3:50:1 4:60:6 5:70:11"

# world LINE...: who is heard, and how loudly.
world() {
  printf '%s\n' "$@" > /run/world
  for radio in $street; do
    middle=${radio#*:}
    echo "00:11:22:33:${middle%:*}:10 -99" >> /run/world
  done
}

# as USER COMMAND...: without a capability.
as() {
  user=$1
  shift
  HOME=/tmp XDG_STATE_HOME=/tmp/state-$user setpriv --reuid="$user" --regid=nogroup --clear-groups \
    --bounding-set=-all --inh-caps=-all --no-new-privs "$@"
}

# scan: one of another program, to its end.
scan() {
  timeout 60 iw event > /tmp/event 2>&1 &
  event=$!
  sleep 1
  iw dev wlan0 scan trigger passive
  until_file /tmp/event 'scan finished' 30
  kill "$event"
}

# hears NAME USER PATTERN: what doctor says of the adapter.
hears() {
  as "$2" /product/locationctl doctor --source wifi: --json --timeout 30 > /tmp/wifi 2>&1
  verdict "$1" /tmp/wifi "$3"
}

world "00:11:22:33:44:02 -55" "00:11:22:33:44:03 -70" "02:11:22:33:44:05 -40" "00:11:22:33:44:04 -85"
# Until country.sh, the kernel has no rules of countries.
mkdir -p /tmp/countries
mv /lib/firmware/regulatory.db* /tmp/countries/
modprobe mac80211_hwsim radios=6
python3 /guest/medium.py 6 /run/world > /tmp/medium 2>&1 &
until_file /tmp/medium registered 60
ip link set wlan1 address 00:11:22:33:44:02
ip link set wlan2 address 00:11:22:33:44:04
cat > /tmp/h1.conf << 'CONF'
interface=wlan1
driver=nl80211
hw_mode=g
channel=1
ssid=library
bss=w1b
bssid=00:11:22:33:44:03
ssid=cafe_nomap
bss=w1c
bssid=02:11:22:33:44:05
ssid=secret
ignore_broadcast_ssid=1
CONF
cat > /tmp/h2.conf << 'CONF'
interface=wlan2
driver=nl80211
hw_mode=g
channel=6
ssid=town hall
CONF
hostapd -B /tmp/h1.conf > /tmp/hostapd 2>&1
hostapd -B /tmp/h2.conf >> /tmp/hostapd 2>&1
for radio in $street; do
  number=${radio%%:*}
  middle=${radio#*:}
  ip link set "wlan$number" address "00:11:22:33:${middle%:*}:10"
  printf 'interface=wlan%s\ndriver=nl80211\nhw_mode=g\nchannel=%s\nssid=street %s\n' \
    "$number" "${middle#*:}" "$number" > "/tmp/street$number.conf"
  hostapd -B "/tmp/street$number.conf" >> /tmp/hostapd 2>&1
done

hears "without a program that scans, the source says so" nobody 'neither NetworkManager, iwd, nor'

# By whomever it is made, a scan is heard: two stations may be used, of four.
ip link set wlan0 up
scan
hears "another program's scan is read by a user without rights" nobody \
  'wlan0.*hears 2 access points, the strongest at -55 dBm'
world "00:11:22:33:44:02 -80" "00:11:22:33:44:03 -70" "02:11:22:33:44:05 -40" "00:11:22:33:44:04 -62"
sleep 1
scan
hears "levels follow the world" nobody 'wlan0.*hears 2 access points, the strongest at -62 dBm'

# NetworkManager needs udev to manage a device.
/lib/systemd/systemd-udevd --daemon
udevadm trigger --action=add
udevadm settle
mkdir -p /etc/NetworkManager/conf.d
printf '[keyfile]\nunmanaged-devices=%s;interface-name:w1*\n' \
  'interface-name:wlan1;interface-name:wlan2;interface-name:wlan3;interface-name:wlan4;interface-name:wlan5' \
  > /etc/NetworkManager/conf.d/guest.conf
/usr/lib/polkit-1/polkitd --no-debug > /tmp/polkitd 2>&1 &
wpa_supplicant -u -B > /tmp/supplicant 2>&1
NetworkManager > /tmp/network 2>&1
for _ in $(seq 60); do
  nmcli -t -f DEVICE,STATE device 2> /dev/null | grep -q 'wlan0:disconnected' && break
  sleep 1
done
nmcli -t -f DEVICE,STATE device

# asks USER: has our program ask for scans; prints how NetworkManager answered the first request. None
# is made while NetworkManager scans by itself, as it does when it has started.
asks() {
  dbus-monitor --system > /tmp/monitor 2>&1 &
  monitor=$!
  sleep 1
  for _ in 1 2 3; do
    as "$1" /product/locationctl watch --source wifi: --timeout 30 > /tmp/watch 2>&1
    grep -q 'member=RequestScan' /tmp/monitor && break
  done
  sleep 1
  kill "$monitor"
  call=$(grep -m 1 'member=RequestScan' /tmp/monitor)
  serial=$(echo "$call" | sed -n 's/.* serial=\([0-9]*\) .*/\1/p')
  sender=$(echo "$call" | sed -n 's/.* sender=\([^ ]*\) .*/\1/p')
  grep -E "destination=$sender .*reply_serial=$serial( |$)" /tmp/monitor > /tmp/answer
  [ -s /tmp/answer ] || tail -n 5 /tmp/watch > /tmp/answer
}

asks nobody
verdict "NetworkManager refuses a user without the rule" /tmp/answer '^error .*(PermissionDenied|NotAuthorized)'
mkdir -p /etc/polkit-1/rules.d
cp /guest/50-meridian-wifi.rules /etc/polkit-1/rules.d/
sleep 2
asks locationd
verdict "NetworkManager scans for locationd by the rule of polkit" /tmp/answer '^method return'
world "00:11:22:33:44:02 -58" "00:11:22:33:44:03 -70" "02:11:22:33:44:05 -40" "00:11:22:33:44:04 -99"
sleep 40
hears "an access point that falls silent is not heard any more" locationd \
  'wlan0.*hears 1 access point, the strongest at -58 dBm'
