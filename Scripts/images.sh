#!/bin/sh
# Makes images of the packages of `make deb`, with Debian's own tools and no service of containers, and tries each:
#
#   sudo Scripts/images.sh oci       .build/images/meridian-VERSION.oci.tar, Debian 12 with locationd and locationctl
#   sudo Scripts/images.sh sysext    .build/images/meridian-VERSION.raw, for systemd-sysext on Debian 12
#
# Needs root; oci needs mmdebstrap and umoci, sysext squashfs-tools. The same packages give the same sysext image.
# How to use them: docs/decisions/0110-packages.md.
set -eu
cd "$(dirname "$0")/.."
out=$PWD/.build/images
debs=${OUT:-$PWD/.build/deb}
version=$(sed -n 's/.*version = "\(.*\)"/\1/p' Sources/LocationModel/Service/Release.swift)
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git log -1 --format=%ct)}
export SOURCE_DATE_EPOCH
need() {
  command -v "$1" > /dev/null || { echo "skipped: no $1; apt-get install $2" >&2; exit 77; }
}
[ "$(id -u)" = 0 ] || { echo "skipped: trees of files need root; the same with sudo" >&2; exit 77; }
deb=$(ls "$debs"/meridian_*.deb 2> /dev/null) || { echo "there are no packages: make deb" >&2; exit 1; }
mkdir -p "$out"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

oci() {
  need mmdebstrap mmdebstrap
  need umoci umoci
  # What a container has no use for is left out: documents, and lists of packages.
  mmdebstrap --quiet --variant=minbase --include="$deb" --aptopt='Apt::Install-Recommends "false"' \
    --dpkgopt='path-exclude=/usr/share/doc/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
    --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/locale/*' \
    --hook-dir=/usr/share/mmdebstrap/hooks/file-mirror-automount \
    --skip=cleanup/run --customize-hook='chroot "$1" install -d -o locationd -g locationd /run/locationd /var/lib/locationd' \
    bookworm "$work/rootfs.tar" "${DEBIAN_MIRROR:-http://deb.debian.org/debian}"
  umoci init --layout "$work/image"
  umoci new --image "$work/image:$version"
  umoci raw add-layer --image "$work/image:$version" --history.created_by "Scripts/images.sh" "$work/rootfs.tar"
  # A user without privileges; the state in a folder that a volume can be put over.
  umoci config --image "$work/image:$version" --config.user locationd --config.volume /var/lib/locationd \
    --config.entrypoint /usr/bin/locationd --config.cmd --socket --config.cmd /run/locationd/locationd.sock \
    --config.cmd --state --config.cmd /var/lib/locationd/state
  umoci unpack --image "$work/image:$version" "$work/bundle" > /dev/null 2>&1
  # As the user of the image, with its command and a source.
  unshare --mount --pid --fork --kill-child --mount-proc="$work/bundle/rootfs/proc" \
    chroot --userspec=locationd:locationd "$work/bundle/rootfs" sh -c '
      /usr/bin/locationd --socket /run/locationd/locationd.sock --state /var/lib/locationd/state --source fixed:48.5,11.5,5 &
      for _ in 1 2 3 4 5 6 7 8 9 10; do
        sleep 1
        locationctl status && exit 0
      done
      exit 1'
  tar -C "$work/image" --sort=name --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 --numeric-owner \
    -cf "$out/meridian-$version.oci.tar" .
  du -m "$out/meridian-$version.oci.tar" | awk '{ print "made " $2 ", " $1 " MB" }'
}

sysext() {
  need mksquashfs squashfs-tools
  tree=$work/meridian
  dpkg-deb -x "$deb" "$tree"
  # An extension has /usr alone: units there, and no configuration.
  mkdir -p "$tree/usr/lib/systemd/system" "$tree/usr/lib/extension-release.d"
  cp -a "$tree/lib/systemd/." "$tree/usr/lib/systemd/"
  rm -rf "$tree/lib" "$tree/etc"
  printf 'ID=debian\nVERSION_ID=12\n' > "$tree/usr/lib/extension-release.d/extension-release.meridian"
  # What an installation would have enabled.
  mkdir -p "$tree/usr/lib/systemd/system/multi-user.target.d"
  printf '[Unit]\nUpholds=locationd.socket\n' > "$tree/usr/lib/systemd/system/multi-user.target.d/10-meridian.conf"
  mksquashfs "$tree" "$out/meridian-$version.raw" -noappend -quiet -no-progress -all-root -comp zstd > /dev/null
  [ "$(unsquashfs -cat "$out/meridian-$version.raw" usr/lib/extension-release.d/extension-release.meridian | head -1)" = ID=debian ]
  du -m "$out/meridian-$version.raw" | awk '{ print "made " $2 ", " $1 " MB" }'
}

case ${1:-} in
  oci | sysext) "$1" ;;
  *)
    echo "usage: Scripts/images.sh oci|sysext" >&2
    exit 2
    ;;
esac
