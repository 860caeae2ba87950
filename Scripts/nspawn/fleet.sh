#!/bin/sh
# Runs in the container, as root, under its systemd: see Scripts/fleet_package.sh.
set -u
export DEBIAN_FRONTEND=noninteractive
share=/mnt/share
etc=/etc/locationfleet
. /mnt/share/checking.sh

apt() { apt-get -qq -y -o Dpkg::Use-Pty=0 "$@"; }
show() { systemctl show -P "$2" "$1"; }
active() { systemctl -q is-active "$@"; }
journal() { journalctl -q -o cat -u "$1"; }
said() { journal "$1" | grep -q "$2"; }
operator() { locationfleet "$@" --config /etc/locationfleet-expire.conf; }
same() { operator events > /run/events && cmp /run/events /run/replayed; }
# As many events have come to the webhook as there are.
delivered() { [ "$(sort -u /run/delivered | grep -c '^event ')" = "$(wc -l < /run/events)" ]; }
units="locationfleet@1 locationfleet-ingress locationfleet-sink@webhook"

echo "-- packages"
check "Debian's nats-server and the packages are installed" apt install $share/nats-server_*.deb $share/before/*.deb
command -v locationfleet > /dev/null || exit 1
check "the group of the units is made" getent group locationfleet
check "the units are well formed" systemd-analyze verify --man=no locationfleet@1.service locationfleet-ingress.service \
  locationfleet-sink@webhook.service locationfleet-expire.service locationfleet-expire.timer \
  locationfleet-watchdog.service
check "none runs before there is a configuration" sh -c '! systemctl list-units --all --plain | grep "^locationfleet.*running"'

echo "-- the server: docs/fleet-server.conf, with TLS both ways and a user for each kind of program"
install -d -m 755 /etc/nats
install -d -m 700 -o nats -g nats /var/lib/nats
install -m 640 -g nats $share/server.pem $share/server-key.pem $share/authorities.pem /etc/nats
install -d -m 750 -g locationfleet $etc
install -m 640 -g locationfleet $share/client.pem $share/client-key.pem $share/authorities.pem $etc
cp /usr/share/doc/meridian-fleet/examples/fleet-server.conf /etc/nats-server.conf
cp /usr/share/doc/meridian-fleet/examples/fleet-tenant.conf /etc/fleet-tenant.conf
sed -i 's/# include "fleet-tenant/include "fleet-tenant/' /etc/nats-server.conf
sed -i 's/0\.0\.0\.0:4222/127.0.0.1:4222/' /etc/nats-server.conf
# As fleet-cluster.conf has it.
echo 'http: "127.0.0.1:8222"' >> /etc/nats-server.conf
for user in workers ingress operator sinks readers acme-sink acme; do
  locationfleet seed > /run/seed 2> /run/public
  install -m 640 -g locationfleet /run/seed $etc/$user.seed
  sed -i "s/@$(echo $user | tr a-z A-Z)@/$(cat /run/public)/" /etc/nats-server.conf /etc/fleet-tenant.conf
done
rm /run/seed
check "it takes the configuration" nats-server -t -c /etc/nats-server.conf
check "it starts" systemctl restart nats-server

echo "-- the fleet: one configuration for each user"
openssl_random() { head -c "$1" /dev/urandom | base64 -w 0; }
password=$(openssl_random 24)
echo "gate acme * - $(echo "$password" | locationfleet password)" > /run/accounts
install -m 640 -g locationfleet /run/accounts $etc/accounts
secret=$(openssl_random 32)
echo "whsec_$secret" > /run/secret
install -m 640 -g locationfleet /run/secret $etc/webhook.secret
python3 -u $share/webhook.py "$secret" 200 > /run/delivered 2>&1 &
soon grep -q '^port' /run/delivered
configuration() {
  cat << CONF
server = tls://127.0.0.1:4222
authorities = $etc/authorities.pem
certificate = $etc/client.pem
certificate-key = $etc/client-key.pem
nkey-seed = $etc/$1.seed
partitions = 4
snapshot = 2
CONF
}
{ configuration workers; echo "port = 9464"; } > /etc/locationfleet.conf
{
  configuration ingress
  printf 'http-port = 8080\nmqtt-port = 1883\naccounts = %s/accounts\ningress-port = 9465\n' $etc
} > /etc/locationfleet-ingress.conf
{
  configuration sinks
  printf 'webhook = http://127.0.0.1:%s/\nwebhook-secret = %s/webhook.secret\n' \
    "$(sed -n 's/^port //p' /run/delivered)" $etc
} > /etc/locationfleet-sink.conf
{
  configuration operator
  printf 'http-port = 8080\naccounts = %s/accounts\ntenant = acme keep-events-days=7\n' $etc
} > /etc/locationfleet-expire.conf
for unit in ingress sink; do
  at=/etc/systemd/system/locationfleet-$unit.service.d
  [ $unit != sink ] || at=/etc/systemd/system/locationfleet-sink@.service.d
  mkdir -p $at
  printf '[Service]\nEnvironment=CONFIG=/etc/locationfleet-%s.conf\n' $unit > $at/config.conf
done
systemctl daemon-reload
check "doctor says that init is missing" sh -c \
  'locationfleet doctor --config /etc/locationfleet-expire.conf | grep -q "next: locationfleet init"'
check "the operator makes the streams" operator init
check "and publishes fences" operator fences $share/fences.geojson
for unit in $units; do
  check "$unit starts, and is ready" systemctl start $unit
  active $unit || { journal $unit | tail -20 >&2; exit 1; }
done
check "the timer starts" systemctl enable --now locationfleet-expire.timer
check "each has a dynamic user of its own" sh -c "for unit in $units; do
  ps -o uid= -p \$(systemctl show -P MainPID \$unit); done | sort -u | awk '\$1 >= 61184 { n++ } END { exit n != 3 }'"

echo "-- from the devices to the webhook"
locationctl fleet replay --fences $share/fences.geojson < $share/fixes.jsonl > /run/replayed
check "replay has events" test "$(wc -l < /run/replayed)" -gt 20
begin=$(date +%s%N)
check "half of the fixes are posted and acknowledged" python3 $share/post.py "$password" $share/first.jsonl
check "the worker judges them" soon said locationfleet@1 'took partition 3 over'
check "the worker is killed" systemctl kill -s KILL locationfleet@1
check "the other half is posted and acknowledged meanwhile" python3 $share/post.py "$password" $share/rest.jsonl
check "the worker runs again" soon active locationfleet@1
check "it was started again once" is "$(show locationfleet@1 NRestarts)" 1
check "the events are those of replay, byte for byte" soon same
check "each has come to the webhook, signed" soon delivered
echo "        $(wc -l < $share/fixes.jsonl) fixes, $(wc -l < /run/events) events, $((($(date +%s%N) - begin) / 1000000)) ms with the kill"
check "the server is killed" systemctl kill -s KILL nats-server
sleep 0.1
check "and started again" systemctl restart nats-server
check "all go on" soon operator doctor
operator doctor | sed 's/^/        /'
check "its watchdog runs" systemctl enable --now locationfleet-watchdog
check "and hears it" soon said locationfleet-watchdog 'nats-server answers'
hung=$(show nats-server MainPID)
check "the server hangs" systemctl kill -s STOP nats-server
check "the watchdog kills it and says so" soon said locationfleet-watchdog 'hangs and is killed'
check "another one runs" soon sh -c "[ \$(systemctl show -P MainPID nats-server) != $hung ]"
check "all go on again" soon operator doctor
check "an owner may stop it, and the watchdog with it" systemctl stop nats-server
check "nobody starts it then" sh -c '! systemctl -q is-active nats-server locationfleet-watchdog'
check "with it the watchdog is back" sh -c 'systemctl start nats-server && systemctl -q is-active locationfleet-watchdog'
check "and all go on" soon operator doctor
check "the figures are served" sh -c 'locationctl fleet status | grep -q "4 of 4 partitions"'
check "those of the ingress as well" sh -c 'locationctl fleet status --port 9465 | grep -q "MQTT"'
check "expire runs in its sandbox" systemctl start locationfleet-expire.service
check "and says what it did" said locationfleet-expire.service 'acme: 0 events'
check "no place and no device is in the journal" sh -c "! journalctl -q -o cat -u 'locationfleet*' | grep -E '46\\.5|truck'"
for unit in $units; do
  echo "        exposure of $unit: $(systemd-analyze security --no-pager $unit.service | sed -n 's/.*exposure level for .*: \([0-9.]*\).*/\1/p')"
done

echo "-- upgrade, hand over, removal"
before=$(show locationfleet@1 MainPID)
check "the packages are upgraded" apt install $share/now/*.deb
check "the worker runs again, as the new program" soon sh -c "[ \$(systemctl show -P MainPID locationfleet@1) != $before ]"
check "all units run" soon active $units
check "and the fleet is well" soon operator doctor
check "the events are the same" same
check "a worker that is stopped ends well" systemctl stop locationfleet@1
check "as it has handed everything over" said locationfleet@1 'handed partition 0 over'
check "doctor says that there is no worker" sh -c \
  'locationfleet doctor --config /etc/locationfleet-expire.conf | grep -q "no worker has partitions 0, 1, 2, 3"'
systemctl start locationfleet@1
systemctl -q enable locationfleet@1 locationfleet-ingress locationfleet-sink@webhook
install -d -m 750 -g locationfleet $etc/keys
echo key > $etc/keys/acme
check "the packages are removed" apt remove meridian-fleet
check "nothing of them runs" sh -c "! pgrep -f 'locationflee[t] '"
check "what the owner wrote is kept by the removal" ls /etc/locationfleet.conf $etc/workers.seed
check "installed again, nothing starts by itself" apt install $share/now/meridian-fleet_*.deb
check "and nothing runs" sh -c "! pgrep -f 'locationflee[t] '"
check "they are purged" apt purge meridian-fleet meridian
check "configurations and secrets are gone, keys of tenants are not" sh -c "
  ls /etc/locationfleet*.conf $etc/*.seed $etc/*.secret $etc/accounts $etc/*.pem 2> /dev/null && exit 1
  ls $etc/keys/acme"
check "no link to a unit is left" sh -c '! ls /etc/systemd/system/*.wants/ | grep locationfleet'
journalctl -q -o cat -u 'locationfleet*' > $share/journal
journalctl -q -o cat -u nats-server > $share/journal-nats
echo "done"
