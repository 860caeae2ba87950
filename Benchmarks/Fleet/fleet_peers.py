"""Which fences each device is in, kept by Redis GEO with a script, and by PostGIS, fix by fix.

    fleet_peers.py redis|postgis WORLD

WORLD is what FleetPeersBenchmark.swift writes: a line `fences COUNT RADIUS`, then a line `LON LAT` for each
fence, then one `DEVICE LON LAT` for each fix, in their order. Prints `rate` (fixes in a second of the server's
processor time), then a line `+ DEVICE FENCE` for each entry, and `- DEVICE FENCE` for each exit; ends with status 3
and a reason when the peer is not there.
"""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "Circles"))
from circle_peers import postgres_server, redis_server, say  # noqa: E402

SCRIPT = """
local now = {}
for _, fence in ipairs(redis.call('GEOSEARCH', 'fences', 'FROMLONLAT', ARGV[1], ARGV[2], 'BYRADIUS', ARGV[3], 'm')) do
  now[fence] = true
end
local events = {}
for _, fence in ipairs(redis.call('SMEMBERS', KEYS[1])) do
  if now[fence] then
    now[fence] = nil
  else
    redis.call('SREM', KEYS[1], fence)
    events[#events + 1] = '-' .. fence
  end
end
for fence in pairs(now) do
  redis.call('SADD', KEYS[1], fence)
  events[#events + 1] = '+' .. fence
end
return events
"""

TABLES = """
CREATE EXTENSION postgis;
CREATE TABLE fences (id int, place geography);
CREATE TABLE inside (device int, fence int, PRIMARY KEY (device, fence));
CREATE TABLE events (number bigserial, device int, fence int, entered boolean);
CREATE TABLE fixes (number int, device int, lon float8, lat float8);
"""

TAKE = """
CREATE FUNCTION take(mine int, lon float8, lat float8) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  WITH now AS (SELECT id FROM fences WHERE ST_DWithin(place, ST_MakePoint(lon, lat)::geography, {radius})),
  gone AS (DELETE FROM inside WHERE device = mine AND fence NOT IN (SELECT id FROM now) RETURNING fence),
  came AS (INSERT INTO inside SELECT mine, id FROM now ON CONFLICT DO NOTHING RETURNING fence)
  INSERT INTO events (device, fence, entered)
    SELECT mine, fence, false FROM gone UNION ALL SELECT mine, fence, true FROM came;
END $$
"""


def read(path):
    with open(path) as file:
        _, count, radius = file.readline().split()
        fences = [file.readline().split() for _ in range(int(count))]
        return float(radius), fences, [line.split() for line in file]


def processor_time(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure_redis(radius, fences, fixes):
    with tempfile.TemporaryDirectory() as folder, redis_server(folder) as redis:
        adding = [redis.words("GEOADD", "fences", lon, lat, number) for number, (lon, lat) in enumerate(fences)]
        redis.pipeline(adding)
        script = redis.ask("SCRIPT", "LOAD", SCRIPT)
        pid = int(next(line for line in redis.ask("INFO", "server").decode().splitlines()
                       if line.startswith("process_id:")).split(":")[1])
        taking = [redis.words("EVALSHA", script, 1, "in:" + device, lon, lat, radius) for device, lon, lat in fixes]
        before = processor_time(pid)
        found = redis.pipeline(taking, 500)
        say("rate", len(fixes) / (processor_time(pid) - before))
        for (device, _, _), events in zip(fixes, found):
            for event in events:
                print(event[:1].decode(), device, event[1:].decode())


def measure_postgis(radius, fences, fixes):
    with tempfile.TemporaryDirectory() as folder, postgres_server(folder) as postgres:
        postgres.ask(TABLES)
        postgres.ask(TAKE.format(radius=radius))
        postgres.fill("fences", (f"{number}\tPOINT({lon} {lat})\n" for number, (lon, lat) in enumerate(fences)))
        postgres.ask("CREATE INDEX places ON fences USING gist (place)")
        postgres.fill("fixes", (f"{number}\t{device}\t{lon}\t{lat}\n" for number, (device, lon, lat) in enumerate(fixes)))
        postgres.ask("ANALYZE")
        # In one statement, on one processor, and without a client that waits for each.
        seconds = postgres.seconds("SELECT take(device, lon, lat) FROM (SELECT * FROM fixes ORDER BY number) AS all_fixes")
        say("rate", len(fixes) / seconds)
        for line in postgres.ask("SELECT entered, device, fence FROM events ORDER BY number").splitlines():
            entered, device, fence = line.split("|")
            print("+" if entered == "t" else "-", device, fence)


if __name__ == "__main__":
    {"redis": measure_redis, "postgis": measure_postgis}[sys.argv[1]](*read(sys.argv[2]))
