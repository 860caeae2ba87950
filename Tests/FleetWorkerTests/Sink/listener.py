"""Prints how many rows the table fleet_events has: at first, and whenever some were inserted.

usage: listener.py CONNECTION

The server says so itself (NOTIFY of a trigger); nothing is asked again and again.
"""
import ctypes, select, sys

pq = ctypes.CDLL("libpq.so.5")
for name in ("PQconnectdb", "PQexec", "PQnotifies"):
    getattr(pq, name).restype = ctypes.c_void_p
pq.PQgetvalue.restype = ctypes.c_char_p


class Notification(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("process", ctypes.c_int), ("text", ctypes.c_char_p)]


connection = ctypes.c_void_p(pq.PQconnectdb(sys.argv[1].encode()))
pq.PQexec(connection, b"LISTEN fleet")
result = ctypes.c_void_p(pq.PQexec(connection, b"SELECT count(*) FROM fleet_events"))
print(pq.PQgetvalue(result, 0, 0).decode(), flush=True)
while True:
    select.select([pq.PQsocket(connection)], [], [])
    if not pq.PQconsumeInput(connection):
        sys.exit("the connection is over")
    while place := pq.PQnotifies(connection):
        print(Notification.from_address(place).text.decode(), flush=True)
