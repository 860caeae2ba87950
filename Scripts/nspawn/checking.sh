# Sourced by what runs in the container, as root, under its systemd.

# check NAME COMMAND…: prints a line, whether the command succeeds; what it says goes to the errors if not.
check() {
  name=$1
  shift
  if output=$("$@" 2>&1); then echo "ok      $name"; else
    echo "FAILED  $name"
    echo "$name: $output" >&2
  fi
}
is() { [ "$1" = "$2" ] || { echo "is '$1', not '$2'"; return 1; }; }
# Waits up to 30 s until a command succeeds.
soon() {
  soon_end=$(($(date +%s) + 30))
  until "$@" > /dev/null 2>&1; do
    [ "$(date +%s)" -lt $soon_end ] || break
    sleep 0.1
  done
  "$@"
}
