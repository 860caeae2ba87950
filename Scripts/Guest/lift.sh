# Part of the guest's init: the daemon rides a lift, by a BMP280 on i2c-stub whose registers change while it runs.

serve iio: nmea+tcp://127.0.0.1:10110 scans+tcp://127.0.0.1:10111
# Before there is an app: what one starts is refused as the owner's.
python3 /guest/lift.py map > /tmp/lift.json
ctl map import /tmp/lift.json
ctl authorize "$(readlink -f "$(command -v python3)")@0" always
python3 /guest/lift.py "$bus" > /tmp/lift 2>&1
tail -n 5 /tmp/daemon
tail -n 40 /tmp/lift
verdict "the altitude follows a lift within a meter" /tmp/lift \
  '^8 of 8 changes from rest to rest: off 0\.[0-9]+ m at most'
verdict "the altitude is as exact as it claims" /tmp/lift \
  '^the altitude holds in (6[89]|[7-9][0-9]|100) % of [0-9]+ positions, which claim [0-9]\.[0-9] to [0-9]\.[0-9] m'
verdict "the claim grows without satellites" /tmp/lift '^without satellites the claim grows by [0-9]'
verdict "no floor before the map shows one" /tmp/lift '^before the map shows one: 0 floors in [1-9][0-9]* positions'
verdict "the floor is known where the map knows it" /tmp/lift '^the floor after [0-9.]+ s'
verdict "every change of floors counts, and none is false" /tmp/lift '^floors: 6 of 6 rests, 0 false of [1-9]'
kill "$daemon"
wait "$daemon"
