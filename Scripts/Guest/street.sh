# Part of the guest's init, after wifi.sh: the daemon walks along a street of access points, with a map from a list.

serve wifi:
python3 /guest/street.py /product/locationctl /run/world > /tmp/street 2>&1
tail -n 20 /tmp/medium /tmp/daemon /tmp/street
verdict "the first position, for which a scan is needed, comes in 6 s" /tmp/street '^first position after [0-5]\.[0-9] s'
verdict "positions along the street are within 15 m in the median" /tmp/street \
  '^[0-9]+ positions: off ([0-9]|1[0-4])\.[0-9] m in the median'
verdict "a fence on the way is entered" /tmp/street '^entered [0-9]+ s after the boundary'
kill "$daemon"
