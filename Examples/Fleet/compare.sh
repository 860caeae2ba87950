#!/bin/sh
# Judges the same fixes by one program, by one program for each part (a shell loop), and by Spark, and
# compares the events byte for byte. Needs locationctl (built, or as its first argument), Python, and
# for Spark a Java runtime (Debian: openjdk-17-jre-headless); PySpark comes from PyPI into a venv.
set -eu
cd "$(dirname "$0")"
program=${1:-$(cd ../.. && pwd)/.build/debug/locationctl}
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
until=2026-02-01T00:00:00Z

python3 make_fixes.py "$folder/fences.geojson" "$folder/fixes.jsonl"
"$program" fleet replay --fences "$folder/fences.geojson" --until $until \
  < "$folder/fixes.jsonl" > "$folder/plain.jsonl"
echo "one program: $(wc -l < "$folder/plain.jsonl") events"

# A part holds whole devices; two programs run at once.
python3 - "$folder" <<'PART'
import json, sys, zlib
parts = [open(f"{sys.argv[1]}/part-{number}.jsonl", "w") for number in range(4)]
for line in open(f"{sys.argv[1]}/fixes.jsonl"):
    parts[zlib.crc32(json.loads(line)["device"].encode()) % 4].write(line)
PART
ls "$folder"/part-?.jsonl | xargs -P 2 -I FILE sh -c \
  '"$1" fleet replay --fences "$2" --until "$3" < FILE > FILE.out' \
  sh "$program" "$folder/fences.geojson" $until
cat "$folder"/part-?.jsonl.out | LC_ALL=C sort > "$folder/loop.sorted"
LC_ALL=C sort "$folder/plain.jsonl" | cmp - "$folder/loop.sorted"
echo "four parts, two at once: the same events"

if ! command -v java > /dev/null; then
  echo "Spark: skipped, no Java runtime"
  exit 0
fi
venv=${FLEET_VENV:-${XDG_CACHE_HOME:-$HOME/.cache}/meridian-fleet}
[ -x "$venv/bin/python" ] || python3 -m venv "$venv"
"$venv/bin/python" -c 'import pyspark' 2> /dev/null || "$venv/bin/pip" install --quiet 'pyspark<4'
"$venv/bin/python" replay_spark.py "$program" "$folder/fences.geojson" "$folder/fixes.jsonl" \
  "$folder/spark.jsonl" 2> "$folder/spark.log" || { tail -n 20 "$folder/spark.log" >&2; exit 1; }
cmp "$folder/plain.jsonl" "$folder/spark.jsonl"
echo "Spark, four partitions: the same bytes"
