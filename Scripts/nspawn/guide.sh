#!/bin/sh
# Runs in the container, as root, under its systemd: see Scripts/guide.sh.
set -u
export DEBIAN_FRONTEND=noninteractive HOME=/root
exec 2>&1
# A receiver at a serial port, as the kernel's driver for it would have made one.
mkdir -p /run/systemd/system/locationd.service.d
printf '[Service]\nDeviceAllow=char-pts rw\n' > /run/systemd/system/locationd.service.d/pts.conf
systemctl daemon-reload
systemd-run --quiet --unit=receiver /usr/bin/python3 /mnt/share/receiver.py /dev/ttyUSB0 4800
for _ in $(seq 100); do
  [ -e /dev/ttyUSB0 ] && break
  sleep 0.1
done
cd /mnt/share/work || exit 1
if sh /mnt/share/commands.sh; then echo "every command worked"; else
  journalctl -u locationd --no-pager | tail -30
  systemctl status receiver --no-pager
fi
