"""A Bluetooth controller behind /dev/vhci, by bumble, with one iBeacon in front of it.

The beacon advertises ten times a second while the controller scans. What the computer itself
advertises is written to the file named first, as hex, whenever it changes.
"""

import asyncio
import sys

from bumble import hci
from bumble.controller import Controller
from bumble.link import LocalLink
from bumble.transport import open_transport

# E2C56DB5-DFFB-48D2-B060-D0F5A71096E0, major 1, minor 2, -59 dBm at one meter.
PAYLOAD = bytes.fromhex("e2c56db5dffb48d2b060d0f5a71096e0" "0001" "0002" "c5")
ADVERTISEMENT = bytes([2, 1, 6, 26, 0xFF, 0x4C, 0, 0x02, 0x15]) + PAYLOAD
ADDRESS = hci.Address("C0:00:00:00:00:01", hci.Address.RANDOM_DEVICE_ADDRESS)


def report(rssi):
    line = hci.HCI_LE_Advertising_Report_Event.Report(
        event_type=3, address_type=1, address=ADDRESS, data=ADVERTISEMENT, rssi=rssi)
    return hci.HCI_LE_Advertising_Report_Event([line])


async def main(heard):
    transport = await open_transport("vhci")
    controller = Controller(
        "guest", host_source=transport.source, host_sink=transport.sink, link=LocalLink(),
        public_address="F0:F1:F2:F3:F4:F5")
    # The plain commands of Bluetooth 4, which every adapter has.
    controller.le_features &= ~hci.LeFeatureMask.LE_EXTENDED_ADVERTISING
    said, count = None, 0
    while True:
        await asyncio.sleep(0.1)
        count += 1
        if controller.le_scan_enable:
            controller.send_hci_packet(report(-60 - count % 4))
        own = controller.le_legacy_advertiser
        data = own.advertising_data if own.enabled else b""
        if data != said:
            said = data
            with open(heard, "w") as file:
                file.write(data.hex() + "\n")


asyncio.run(main(sys.argv[1]))
