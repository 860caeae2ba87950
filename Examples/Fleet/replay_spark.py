"""Judges the fixes of many devices with Spark: each partition is a pipe to locationctl.

    replay_spark.py LOCATIONCTL FENCES.geojson FIXES.jsonl EVENTS.jsonl
"""
import json
import shlex
import sys
import zlib

from pyspark.sql import SparkSession

program, fences, fixes, events = sys.argv[1:]
spark = SparkSession.builder.master("local[2]").appName("fleet").getOrCreate()
# Without --until, the time of the run would bound the dates, and differ from one to another.
command = shlex.join(
    [program, "fleet", "replay", "--fences", fences, "--until", "2026-02-01T00:00:00Z"])


def device(line):
    found = json.loads(line)
    return found.get("tenant", ""), found["device"]


def order(line):
    """By device in the order of bytes, as one program alone prints; its events stay in order."""
    tenant, name = device(line)
    return tenant.encode(), name.encode()


# All lines of a device go to one partition, in the order of the file.
lines = spark.sparkContext.textFile(fixes).zipWithIndex()
parted = (
    lines.map(lambda item: (device(item[0]), (item[1], item[0])))
    .partitionBy(4, lambda name: zlib.crc32("\0".join(name).encode()))
    .mapPartitions(lambda part: (line for _, line in sorted(pair for _, pair in part)))
)
judged = parted.pipe(command, checkCode=True).collect()
with open(events, "w", encoding="utf-8") as file:
    file.writelines(line + "\n" for line in sorted(judged, key=order))
spark.stop()
