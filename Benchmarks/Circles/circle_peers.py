"""Shapely's STR-tree, PostGIS, and Redis GEO on the boxes and places of one world.

    circle_peers.py shapely|postgis|redis WORLD CHURN ROUNDS

WORLD is the file that CirclePeers.swift writes: three counts (boxes, devices, walk; 32 bits), the
boxes as four doubles, the places as two, then the radius in meters and the centers and places again
as degrees. Look-ups are the best of ROUNDS. Prints lines `name value`; ends with status 3 and a reason when the peer is not there.
PostGIS and Redis run as programs of this script alone: in a temporary folder, on a socket there,
and no longer than it does.
"""

import array
import contextlib
import os
import shutil
import socket
import struct
import subprocess
import sys
import tempfile
import time


class World:
    def __init__(self, path):
        with open(path, "rb") as file:
            counts = struct.unpack("<3I", file.read(12))
            numbers = array.array("d")
            numbers.frombytes(file.read())
        circles, devices, walk = counts

        def take(count):
            part = numbers[take.at : take.at + count]
            take.at += count
            return part

        take.at = 0
        self.boxes = take(4 * circles)
        self.places = {"devices": take(2 * devices), "walk": take(2 * walk)}
        (self.radius,) = take(1)
        self.centers = take(2 * circles)
        self.coordinates = {"devices": take(2 * devices), "walk": take(2 * walk)}
        self.count = circles


def say(name, value):
    print(name, repr(value), flush=True)


def missing(reason):
    print(reason)
    sys.exit(3)


def timed(work):
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def best(rounds, work):
    return min((timed(work) for _ in range(rounds)), key=lambda result: result[0])


def pairs(numbers):
    return zip(numbers[0::2], numbers[1::2])


# -- shapely


def measure_shapely(world, churn, rounds):
    try:
        import numpy
        import shapely
    except ImportError as error:
        missing(f"{error.name} is missing (Scripts/bench.sh installs it into .build/bench-venv)")
    boxes = shapely.box(*numpy.frombuffer(world.boxes).reshape(-1, 4).T)

    def build():
        tree = shapely.STRtree(boxes)
        # The tree is packed when it is first asked.
        tree.query(shapely.Point(0, 0))
        return tree

    seconds, tree = timed(build)
    say("build", seconds / world.count * 1e9)
    for name, numbers in world.places.items():
        places = shapely.points(numpy.frombuffer(numbers).reshape(-1, 2))
        seconds, found = best(rounds, lambda: tree.query(places))
        say(name, seconds / len(places) * 1e9)
        say(name + ".answers", int(found.shape[1]))


# -- Redis


class Redis:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.connect(path)
        self.file = self.socket.makefile("rb")

    @staticmethod
    def words(*arguments):
        parts = [a if isinstance(a, bytes) else str(a).encode() for a in arguments]
        return b"*%d\r\n" % len(parts) + b"".join(b"$%d\r\n%s\r\n" % (len(p), p) for p in parts)

    def reply(self):
        line = self.file.readline()
        kind, rest = line[:1], line[1:-2]
        if kind == b"*":
            return [self.reply() for _ in range(int(rest))]
        if kind == b"$":
            return self.file.read(int(rest) + 2)[:-2] if int(rest) >= 0 else None
        if kind == b"-":
            raise RuntimeError(rest.decode())
        return rest

    def ask(self, *arguments):
        return self.pipeline([self.words(*arguments)])[0]

    def pipeline(self, requests, at_once=200):
        replies = []
        for first in range(0, len(requests), at_once):
            part = requests[first : first + at_once]
            self.socket.sendall(b"".join(part))
            replies += [self.reply() for _ in part]
        return replies


@contextlib.contextmanager
def redis_server(folder):
    program = shutil.which("redis-server") or missing("redis-server is missing (Debian: redis-server)")
    path = os.path.join(folder, "redis.sock")
    options = ["--port", "0", "--unixsocket", path, "--save", "", "--dir", folder]
    server = subprocess.Popen([program, *options], stdout=subprocess.DEVNULL)
    try:
        wait_for(lambda: os.path.exists(path), server)
        yield Redis(path)
    finally:
        server.terminate()
        server.wait()


def measure_redis(world, churn, rounds):
    with tempfile.TemporaryDirectory() as folder, redis_server(folder) as redis:
        members = [(b"%.9f" % lon, b"%.9f" % lat, b"%d" % number) for number, (lon, lat) in enumerate(pairs(world.centers))]
        adding = [
            redis.words("GEOADD", "circles", *(word for m in members[at : at + 100] for word in m))
            for at in range(0, len(members), 100)
        ]
        seconds, _ = timed(lambda: redis.pipeline(adding, 20))
        say("build", seconds / world.count * 1e9)
        say("bytes", redis.ask("MEMORY", "USAGE", "circles", "SAMPLES", "0") and
            int(redis.ask("MEMORY", "USAGE", "circles", "SAMPLES", "0")) / world.count)
        for name, numbers in world.coordinates.items():
            asking = [
                redis.words("GEOSEARCH", "circles", "FROMLONLAT", "%.9f" % lon, "%.9f" % lat,
                            "BYRADIUS", world.radius, "m")
                for lon, lat in pairs(numbers)
            ]
            seconds, found = best(rounds, lambda: redis.pipeline(asking))
            say(name, seconds / len(asking) * 1e9)
            say(name + ".answers", sum(map(len, found)))
        churned = members[:churn]
        removing = [redis.words("ZREM", "circles", member) for _, _, member in churned]
        seconds, _ = timed(lambda: redis.pipeline(removing))
        say("removal", seconds / len(churned) * 1e9)
        inserting = [redis.words("GEOADD", "circles", *member) for member in churned]
        seconds, _ = timed(lambda: redis.pipeline(inserting))
        say("insertion", seconds / len(churned) * 1e9)


# -- PostGIS


def wait_for(condition, process):
    deadline = time.monotonic() + 30
    while not condition():
        if process.poll() is not None or time.monotonic() > deadline:
            missing(f"{process.args[0]} did not start")
        time.sleep(0.05)


class Postgres:
    def __init__(self, programs, folder, user):
        self.programs, self.folder, self.user = programs, folder, user

    def run(self, program, *arguments, text=None):
        command = [os.path.join(self.programs, program), *arguments]
        result = subprocess.run(command, input=text, text=True, user=self.user, cwd=self.folder,
                                capture_output=True)
        if result.returncode != 0:
            missing(f"{program}: {result.stderr.strip()}")
        return result.stdout

    def ask(self, text):
        return self.run("psql", "-qAt", "-h", self.folder, "-d", "postgres", "-v", "ON_ERROR_STOP=1",
                        "-c", text).strip()

    def fill(self, table, rows):
        lines = "".join(rows)
        return self.run("psql", "-q", "-h", self.folder, "-d", "postgres", "-c",
                        f"COPY {table} FROM STDIN", text=lines)

    def seconds(self, text):
        """The time that the server itself took to execute a statement, without its timers."""
        plan = self.ask(f"EXPLAIN (ANALYZE, TIMING OFF, SUMMARY ON) {text}")
        line = next(l for l in plan.splitlines() if l.startswith("Execution Time"))
        return float(line.split()[2]) / 1000


@contextlib.contextmanager
def postgres_server(folder):
    roots = ["/usr/lib/postgresql/" + v for v in sorted(os.listdir("/usr/lib/postgresql"))] \
        if os.path.isdir("/usr/lib/postgresql") else []
    programs = next((os.path.join(r, "bin") for r in reversed(roots)
                     if os.path.exists(os.path.join(r, "bin/initdb"))), None)
    if programs is None:
        missing("initdb is missing (Debian: postgresql-15-postgis-3)")
    # The server refuses to run as root.
    user = "postgres" if os.geteuid() == 0 else None
    if user:
        shutil.chown(folder, user)
    data = os.path.join(folder, "data")
    postgres = Postgres(programs, folder, user)
    postgres.run("initdb", "-D", data, "--no-sync", "-A", "trust")
    options = ["-c", "listen_addresses=", "-c", f"unix_socket_directories={folder}", "-c", "fsync=off",
               "-c", "shared_buffers=512MB", "-c", "maintenance_work_mem=512MB", "-c", "autovacuum=off",
               "-c", "max_parallel_workers_per_gather=0", "-c", "jit=off"]
    server = subprocess.Popen([os.path.join(programs, "postgres"), "-D", data, *options], user=user,
                              cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        ready = [os.path.join(programs, "pg_isready"), "-q", "-h", folder]
        wait_for(lambda: subprocess.run(ready).returncode == 0, server)
        yield postgres
    finally:
        server.terminate()
        server.wait()


def measure_postgis(world, churn, rounds):
    with tempfile.TemporaryDirectory() as folder, postgres_server(folder) as postgres:
        postgres.ask("CREATE EXTENSION postgis")
        postgres.ask("CREATE TABLE circles (number int, box geometry)")
        box = struct.Struct("<BIIIdddddddddd")

        def rows():
            for number in range(world.count):
                w, s, e, n = world.boxes[4 * number : 4 * number + 4]
                yield f"{number}\t{box.pack(1, 3, 1, 5, w, s, e, s, e, n, w, n, w, s).hex()}\n"

        postgres.fill("circles", rows())
        seconds, _ = timed(lambda: postgres.ask("CREATE INDEX boxes ON circles USING gist (box)"))
        say("build", seconds / world.count * 1e9)
        postgres.ask("CREATE INDEX numbers ON circles (number)")
        say("bytes", int(postgres.ask("SELECT pg_relation_size('boxes')")) / world.count)
        point = struct.Struct("<BIdd")
        for name, numbers in world.places.items():
            postgres.ask(f"CREATE TABLE {name} (place geometry)")
            postgres.fill(name, (point.pack(1, 1, x, y).hex() + "\n" for x, y in pairs(numbers)))
            postgres.ask("ANALYZE")
            query = f"SELECT count(*) FROM {name}, circles WHERE ST_Intersects(box, place)"
            say(name + ".answers", int(postgres.ask(query)))
            seconds = min(postgres.seconds(query) for _ in range(rounds))
            say(name, seconds / (len(numbers) / 2) * 1e9)
        churned = min(churn, world.count)
        postgres.ask(f"CREATE TABLE kept AS SELECT * FROM circles WHERE number < {churned}")
        say("removal", postgres.seconds(f"DELETE FROM circles WHERE number < {churned}") / churned * 1e9)
        say("insertion", postgres.seconds("INSERT INTO circles SELECT * FROM kept") / churned * 1e9)


peers = {"shapely": measure_shapely, "postgis": measure_postgis, "redis": measure_redis}

if __name__ == "__main__":
    peers[sys.argv[1]](World(sys.argv[2]), int(sys.argv[3]), int(sys.argv[4]))
