# Sourced by scripts that try packages. Nothing has been released yet, so the version before is the same
# packages under a lower number.

# before SHARE PACKAGE…: copies packages into SHARE/now, and makes those of a version before in SHARE/before.
before() {
  before_share=$1
  shift
  mkdir "$before_share/now" "$before_share/before"
  for package in "$@"; do
    cp "$package" "$before_share/now/"
    rm -rf "$before_share/unpacked"
    dpkg-deb -R "$package" "$before_share/unpacked"
    sed -i '/^Version: /s/$/~before/; s/meridian (>= \([^)]*\))/meridian (>= \1~before)/' \
      "$before_share/unpacked/DEBIAN/control"
    dpkg-deb -Zgzip -z1 --root-owner-group -b "$before_share/unpacked" "$before_share/before/" > /dev/null
  done
  rm -rf "$before_share/unpacked"
}
