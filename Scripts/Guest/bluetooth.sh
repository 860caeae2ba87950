# Part of the guest's init: a real bluetoothd over a controller in memory.
UUID=E2C56DB5-DFFB-48D2-B060-D0F5A71096E0

# verdict_resumed NAME: whether beacons are ranged from now on, within half a minute.
verdict_resumed() {
  before=$(grep -c '"rssi"' /tmp/beacons)
  for _ in $(seq 30); do
    after=$(grep -c '"rssi"' /tmp/beacons)
    [ "$after" -gt "$before" ] && break
    sleep 1
  done
  [ "$after" -gt "$before" ] && echo "resumed: $before reports, then $after" > /tmp/resumed ||
    cp /tmp/beacons /tmp/resumed
  verdict "$1" /tmp/resumed '^resumed'
}

modprobe hci_vhci
python3 /guest/controller.py /tmp/advertised > /tmp/controller 2>&1 &
until_file /tmp/advertised '^' 60
start_bluetoothd() {
  /usr/libexec/bluetooth/bluetoothd -n "$@" > /tmp/bluetoothd 2>&1 &
  bluetoothd=$!
  for _ in $(seq 60); do
    bluetoothctl show 2> /dev/null | grep -q 'Powered: yes' && return
    timeout 10 bluetoothctl power on > /dev/null 2>&1
    sleep 1
  done
  echo "FAILED bluetoothd has no adapter that is on"
  cat /tmp/bluetoothd /tmp/controller
}
start_bluetoothd -E
bluetoothctl show | grep -E 'Powered|Roles|SupportedInstances|Advertisement Monitor'

ctl beacons "$UUID" --json --count 4 --timeout 90 > /tmp/beacons 2>&1
verdict "a beacon is ranged" /tmp/beacons '"minor":2,"proximity":"near".*"rssi":-6[0-3]'

/product/locationctl beacons "$UUID" --json --timeout 120 > /tmp/beacons 2>&1 &
ranging=$!
until_file /tmp/beacons '"rssi"' 60
timeout 20 bluetoothctl power off > /dev/null 2>&1
until_file /tmp/beacons 'switched off|cannot be received' 30
verdict "an adapter that is switched off is reported" /tmp/beacons 'cannot be received'
timeout 20 bluetoothctl power on > /dev/null 2>&1
verdict_resumed "ranging goes on when it is switched on"
kill "$bluetoothd"
wait "$bluetoothd"
sleep 2
start_bluetoothd -E
verdict_resumed "ranging outlives bluetoothd"
kill "$ranging" 2> /dev/null

/product/locationctl advertise "$UUID" 1 7 --power -61 > /tmp/advertise 2>&1 &
advertise=$!
until_file /tmp/advertised . 60
verdict "the computer is a beacon" /tmp/advertised \
  '1aff4c000215e2c56db5dffb48d2b060d0f5a71096e000010007c3'
kill "$advertise"
sleep 5
grep -q . /tmp/advertised && echo "still: $(cat /tmp/advertised)" > /tmp/silent || echo silent > /tmp/silent
verdict "the beacon falls silent at the end" /tmp/silent '^silent'
cat /tmp/advertise
