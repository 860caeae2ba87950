#!/bin/sh
# Kills a nats-server that hangs: as long as it does so its streams may keep it as their leader and keep nothing.
#
#   locationfleet-watchdog URL COMMAND [WORD]...
#
# Asks URL, the server's /healthz, each second. Any answer will do, also that it is not current, and so does a port at
# which nobody listens: such a server leads nothing. When three in a row were not answered within 3 s COMMAND is run;
# after that the server has two minutes for its first answer.
set -eu
url=$1
shift
missed=0
state=
say() {
  [ "$state" = "$1" ] || echo "nats-server $1 ($url)"
  state=$1
}
while :; do
  status=0
  curl --silent --noproxy '*' --output /dev/null --max-time 3 "$url" || status=$?
  case $status in
    0)
      missed=0
      say "answers"
      ;;
    # No answer in time, or the end of the connection in its place.
    28 | 52 | 56) missed=$((missed + 1)) ;;
    127)
      echo "curl is not installed: nobody watches nats-server"
      exit 1
      ;;
    *)
      [ "$missed" -lt 0 ] || missed=0
      say "is gone, or its configuration has no http: of this address"
      ;;
  esac
  if [ "$missed" -eq 3 ]; then
    missed=-27
    say "hangs and is killed; is its disk full?"
    "$@" || echo "failed: $*"
  fi
  sleep 1
done
