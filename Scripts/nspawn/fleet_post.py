"""Posts each line of a file to an ingress of this machine as the gateway of a tenant, until it is acknowledged.

usage: fleet_post.py PASSWORD FILE
"""
import base64, http.client, sys, time

head = {
    "Authorization": "Basic " + base64.b64encode(f"gate:{sys.argv[1]}".encode()).decode(),
    "Content-Type": "application/json",
}
end = time.monotonic() + 60
connection = http.client.HTTPConnection("127.0.0.1", 8080, timeout=10)
for line in open(sys.argv[2]):
    while True:
        try:
            connection.request("POST", "/", line.encode(), head)
            answer = connection.getresponse()
            body = answer.read()
        except OSError as fault:
            connection.close()
            body, status = str(fault).encode(), 503
        else:
            status = answer.status
        if status == 200:
            break
        if status not in (429, 503) or time.monotonic() > end:
            sys.exit(f"{status} {body[:200]!r}")
        time.sleep(0.1)
