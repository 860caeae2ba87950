# Sourced by scripts that run Debian's programs against locationd, cut off from the network: installs $packages (a
# name of Scripts/bootstrap.sh), and sets $locationd. LOCATIOND names another one than that of `swift build`.
[ "$(id -u)" = 0 ] || { echo "skipped: its own network needs root; the same with sudo" >&2; exit 77; }
. Scripts/toolchain.sh
Scripts/bootstrap.sh "$packages"
[ -n "${LOCATIOND:-}" ] || swift build --product locationd
locationd=$(realpath "${LOCATIOND:-.build/debug/locationd}")
