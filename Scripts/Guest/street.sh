# Part of the guest's init, after wifi.sh: the daemon walks along a street of access points, with a map from a list.

mkdir -p /run/locationd /var/lib/locationd /var/lib/locationd-key
chmod 700 /var/lib/locationd /var/lib/locationd-key
chown locationd /run/locationd /var/lib/locationd /var/lib/locationd-key
# With what its unit gives it, to see which program an app is; nothing for Wi-Fi.
HOME=/tmp setpriv --reuid=locationd --regid=nogroup --clear-groups --no-new-privs --bounding-set=-all,+sys_ptrace \
  --inh-caps=-all,+sys_ptrace --ambient-caps=-all,+sys_ptrace \
  /product/locationd --system --source wifi: > /tmp/daemon 2>&1 &
daemon=$!
until_file /tmp/daemon serving 30
python3 /guest/street.py /product/locationctl /run/world > /tmp/street 2>&1
tail -n 20 /tmp/medium /tmp/daemon /tmp/street
verdict "the first position, for which a scan is needed, comes in 6 s" /tmp/street '^first position after [0-5]\.[0-9] s'
verdict "positions along the street are within 15 m in the median" /tmp/street \
  '^[0-9]+ positions: off ([0-9]|1[0-4])\.[0-9] m in the median'
verdict "a fence on the way is entered" /tmp/street '^entered [0-9]+ s after the boundary'
kill "$daemon"
