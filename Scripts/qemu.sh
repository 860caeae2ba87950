#!/bin/sh
# Runs locationctl and locationd against a real bluetoothd, the kernel's own IIO drivers, and NetworkManager
# with simulated Wi-Fi radios, in a machine that QEMU emulates: no Bluetooth, sensors, Wi-Fi, or
# virtualization of this computer are needed.
#
#   Scripts/qemu.sh [FOLDER]
#
# FOLDER has the two programs; without it, they are built. QEMU_PARTS names the parts to run, of
# lift,bluetooth,wifi; the sensors are always there.
#
# Needs root, a Debian mirror, and PyPI the first time; .build/qemu keeps what came of them.
# Prints one line for each verdict, and fails when one is "FAILED" or the guest does not finish.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh qemu
programs=${1:-.build/debug}
if [ -z "${1:-}" ]; then
  swift build --product locationctl
  swift build --product locationd
fi
place=.build/qemu
mkdir -p "$place"

modules="hci_vhci ecdh_generic cmac aes_generic ecb i2c-dev i2c-stub hmc5843_i2c mma7660 bmp280_i2c"
modules="$modules mac80211_hwsim ccm gcm ctr"

# The system of the guest as one archive: Debian without an init, the modules, and bumble.
packages=dbus,bluez,kmod,i2c-tools,python3,libsystemd0,libsqlite3-0,libsodium23,libcurl4,procps
packages=$packages,udev,polkitd,iw,iproute2,hostapd,wpasupplicant,network-manager,wireless-regdb
if [ ! "$place/system.cpio" -nt Scripts/qemu.sh ]; then
  tree=$(mktemp -d)
  trap 'rm -rf "$tree"' EXIT
  echo "making the guest's system"
  mmdebstrap --quiet --variant=minbase \
    --include=$packages bookworm "$tree/system"
  kernel=$(apt-cache depends linux-image-amd64 | sed -n 's/ *Depends: *\(linux-image-.*\)/\1/p')
  (cd "$tree" && apt-get -qq download "$kernel")
  dpkg -x "$tree"/linux-image-*.deb "$tree/kernel"
  cp "$tree"/kernel/boot/vmlinuz-* "$place/vmlinuz"
  version=$(ls "$tree/kernel/lib/modules")
  depmod -b "$tree/kernel" "$version"
  for module in $modules; do
    modprobe -d "$tree/kernel" -S "$version" --show-depends "$module"
  done | awk '/^insmod/ { print $2 }' | sort -u | while read -r file; do
    target="$tree/system/${file#"$tree"/kernel/}"
    mkdir -p "$(dirname "$target")"
    cp "$file" "$target"
  done
  cp "$tree"/kernel/lib/modules/"$version"/modules.order \
    "$tree"/kernel/lib/modules/"$version"/modules.builtin* "$tree/system/lib/modules/$version/"
  depmod -b "$tree/system" "$version"
  python3 -m venv "$tree/venv"
  "$tree/venv/bin/pip" install --quiet --target "$tree/system/guest/python" bumble==0.0.236
  rm -rf "$tree/system/usr/share/doc" "$tree/system/usr/share/locale" \
    "$tree/system/var/cache/apt" "$tree/system/var/lib/apt"
  (cd "$tree/system" && find . | cpio --quiet -o -H newc) > "$place/system.cpio.new"
  mv "$place/system.cpio.new" "$place/system.cpio"
fi

# Our programs with the libraries that Debian does not have, as a second archive behind the first.
product=$(mktemp -d)
# It becomes the root of the guest, where other users run programs, too.
chmod 755 "$product"
trap 'rm -rf "$product" "${tree:-/nonexistent}"' EXIT
mkdir -p "$product/product/lib" "$product/guest"
for program in locationctl locationd; do
  objcopy --strip-debug "$programs/$program" "$product/product/$program"
  ldd "$programs/$program" | awk '$3 ~ /swift/ { print $3 }' | xargs -I{} cp {} "$product/product/lib/"
done
install -m 755 Scripts/Guest/init "$product/init"
cp Scripts/Guest/*.py Scripts/Guest/*.sh "$product/guest/"
cp polkit/50-meridian-wifi.rules "$product/guest/"
(cd "$product" && find . | cpio --quiet -o -H newc) > "$place/product.cpio"
cat "$place/system.cpio" "$place/product.cpio" > "$place/initrd"

# Emulated, because a guest with KVM does not start on every machine.
timeout "${QEMU_TIMEOUT:-1500}" qemu-system-x86_64 -M q35,usb=off -accel tcg,thread=multi \
  -cpu max -smp 2 -m 3000 -nographic -no-reboot -nodefaults -serial stdio \
  -kernel "$place/vmlinuz" -initrd "$place/initrd" \
  -append "console=ttyS0 quiet panic=-1 mitigations=off rdinit=/init${QEMU_PARTS:+ parts=$QEMU_PARTS}" \
  -device virtio-rng-pci < /dev/null | tr -d '\r' | tee "$place/log"

if grep -q '^FAILED' "$place/log" || ! grep -q '^done' "$place/log"; then
  echo "not all is well: $place/log" >&2
  exit 1
fi
