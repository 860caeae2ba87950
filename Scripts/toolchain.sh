# Sourced by the other scripts: finds Swift where it is not in the path, as under sudo.
for folder in /opt/swift/usr/bin "$HOME/.local/share/swiftly/bin" /usr/local/swift/usr/bin; do
  command -v swift > /dev/null 2>&1 && break
  [ -x "$folder/swift" ] && PATH="$folder:$PATH"
done
export PATH
command -v swift > /dev/null 2>&1 || {
  echo "Swift 6.3 was not found. Install it (https://www.swift.org/install/linux) and put" \
    "its usr/bin into PATH, or unpack it as /opt/swift." >&2
  exit 1
}
