# Part of the guest's init, after wifi.sh: what doctor says of the country of a radio, and of one that is blocked.

hears "a radio of no country is found, where the kernel has no rules of countries" nobody \
  '"wifi_no_country".*5 GHz only listened to, 6 GHz closed.*apt install wireless-regdb'
mv /tmp/countries/* /lib/firmware/
iw reg reload
hears "a radio of no country is found, where only the country is not named" nobody \
  '"wifi_no_country".*name the country that you are in'
iw reg set DE
for _ in $(seq 10); do
  iw reg get | grep -q 'country DE' && break
  sleep 1
done
hears "the country of a radio is read by a user without rights" nobody 'wlan0.*regulatory domain DE'
iw reg set 00

for switch in /sys/class/net/wlan0/phy80211/rfkill*/soft; do echo 1 > "$switch"; done
hears "a radio that is blocked is found" nobody '"wifi_blocked".*rfkill unblock wlan'
for switch in /sys/class/net/wlan0/phy80211/rfkill*/soft; do echo 0 > "$switch"; done
