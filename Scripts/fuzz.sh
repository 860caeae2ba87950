#!/bin/sh
# Feeds each decoder with bytes that nobody has thought of, by the toolchain's libFuzzer with the address
# sanitizer, one process at a time. Ends with 1 when an input makes one fail, and says how to run it again.
#
# A sequence is as long as a hundred inputs, and gets a hundredth of the runs.
#
# usage: Scripts/fuzz.sh [NAME...] [--runs N | --seconds S]
#        Scripts/fuzz.sh --list
#        FUZZER=NAME .build/fuzz/fuzz INPUT     runs one input again
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
limit=-runs=100000
names=
list=
while [ $# -gt 0 ]; do
  case "$1" in
    --runs) limit=-runs=${2:?} && shift ;;
    --seconds) limit=-max_total_time=${2:?} && shift ;;
    --list) list=1 ;;
    -*) sed -n '2,9s/^# \{0,1\}//p' "$0" >&2 && exit 64 ;;
    *) names="$names $1" ;;
  esac
  shift
done
# The decoders, and the fuzzer of each; a house test keeps the list complete.
all=$(sed 's/#.*//' Fuzz/decoders.txt | awk 'NF > 1 && $2 != "-" {print $2}' | sort -u)
[ -z "$list" ] || { echo "$all" && exit 0; }
for name in $names; do
  [ "$name" = canary ] || echo "$all" | grep -qx -e "$name" ||
    { echo "no fuzzer is named $name; Scripts/fuzz.sh --list" >&2 && exit 64; }
done
names=${names:-$all}

build=.build/fuzz
Scripts/bootstrap.sh build
FUZZ=1 swift build -c release --product Fuzz --scratch-path "$build" \
  -Xswiftc -sanitize=fuzzer,address -Xswiftc -parse-as-library
# libFuzzer has the program's main, so it is linked here, with the libraries that its targets name.
clang -O1 -c -o "$build/counters.o" Fuzz/counters.c
swiftc -sanitize=fuzzer,address -parse-as-library -o "$build/fuzz" \
  "@$build/release/Fuzz.product/Objects.LinkFileList" "$build/counters.o" -lsodium -Xlinker "-Map=$build/fuzz.map" \
  -Xlinker --wrap=__sanitizer_cov_8bit_counters_init -Xlinker --wrap=__sanitizer_cov_pcs_init

# Where each module's counters begin and end, from the linker's map: MODULE FIRST LAST SIZE-OF-LAST. The addresses have
# one length, so they compare as text.
awk '
  $1 == "__sancov_cntrs" { counters = 1; if (NF == 1) next; sub(/^ *[^ ]+/, "") }
  counters {
    counters = 0
    if ($1 ~ /^0x0+$/ || split($3, folders, "/") < 2) next
    module = folders[length(folders) - 1]
    sub(/\.build$/, "", module)
    if (!(module in first) || $1 "" < first[module] "") first[module] = $1
    if (!(module in last) || $1 "" > last[module] "") { last[module] = $1; size[module] = $2 }
  }
  END { for (module in first) print module, first[module], last[module], size[module] }
' "$build/fuzz.map" | sort -k 2 > "$build/counters"
read -r _ base _ < "$build/counters"

# The counters of a fuzzer: those of its decoders' modules, and of what all build on.
counters() {
  modules=$(awk -v name="$1" '!/^#/ && $2 == name {split($1, folders, "/"); print folders[2]}' Fuzz/decoders.txt)
  for module in Fuzz LocationCoding LocationModel $modules; do echo "$module"; done | sort -u |
    while read -r module; do
      while read -r name first last size; do
        [ "$name" != "$module" ] || echo "$((first - base))-$((last + size - base))"
      done < "$build/counters"
    done | tr '\n' ' '
}

# Copies what there is for a fuzzer: what is kept, and what the tests and others' logs hold.
seed() {
  folder=$1 name=$2
  mkdir -p "$folder"
  for file in "Fuzz/Corpora/$name"/*; do [ ! -f "$file" ] || cp "$file" "$folder"; done
  case "$name" in
    nmea | nmea-datagram) take "$folder" .build/gpsd-logs '*.log' ;;
    gpsd | gpsd-report) take "$folder" .build/gpsd-logs '*.chk' ;;
    gpx) take "$folder" Examples '*.gpx' && take "$folder" "${MERIDIAN_SHARED:-/nowhere}" '*.gpx' ;;
    property-list) take "$folder" Examples '*.plist' ;;
    strings) take "$folder" Examples '*.strings' ;;
    fixes) take "$folder" Examples '*.jsonl' ;;
  esac
}

# Copies the beginnings of at most 60 files; a long input costs speed and finds nothing more.
take() {
  [ -d "$2" ] || return 0
  find "$2" -name "$3" -type f 2> /dev/null | sort | head -n 60 | while read -r file; do
    head -c 4096 "$file" > "$1/seed-$(basename "$file")"
  done
}

Scripts/gpsd_logs.sh > /dev/null 2>&1 || echo "no logs of gpsd: the fuzzers begin without them"
logs=$build/logs
mkdir -p "$logs" "$build/findings"

# The words that the decoders of a fuzzer look for, from their sources.
words() {
  awk -v name="$1" '!/^#/ && $2 == name {print $1}' Fuzz/decoders.txt | xargs -r grep -ohE \
    '"[A-Za-z0-9_.:/$<>-]{1,40}"' | sort -u
}

# Runs one fuzzer; its log ends with its figures.
run() {
  name=$1
  shift
  words=$build/$name.dict
  words "$name" > "$words"
  [ ! -s "$words" ] || set -- "-dict=$words" "$@"
  # No input may take longer than 5 seconds, or more than 1 GB.
  # The run of an input again says where its memory came from.
  FUZZER=$name FUZZ_COUNTERS=$(counters "$name") SWIFT_BACKTRACE=enable=no ASAN_OPTIONS=malloc_context_size=0 \
    "$build/fuzz" -max_len=4096 -timeout=5 -rss_limit_mb=1024 -print_final_stats=1 \
    "-artifact_prefix=$build/findings/$name-" "$@" > "$logs/$name.log" 2>&1
}

executions() { sed -n 's/^stat::number_of_executed_units: //p' "$logs/$1.log"; }

# Without this, a set-up that finds nothing looks like decoders without faults.
mkdir -p "$build/corpora/canary"
if run canary -runs=5000000 -use_value_profile=1 "$build/corpora/canary"; then
  echo "the canary's fault was not found: the fuzzers find nothing here" >&2
  exit 1
fi
rm -rf "$build/corpora/canary"
printf '%-22s %12s  %s\n' canary "$(executions canary)" "found, as it must be"

found=0
for name in $names; do
  [ "$name" != canary ] || continue
  seed "$build/corpora/$name" "$name"
  rm -f "$build/findings/$name-"*
  share=$limit
  case "$name $limit" in *-sequence\ -runs=*) share=-runs=$((${limit#-runs=} / 100)) ;; esac
  if run "$name" "$share" "$build/corpora/$name"; then result=none; else
    found=1
    input=$(find "$build/findings" -name "$name-*" | sort | head -n 1)
    result="FOUND, again: FUZZER=$name $build/fuzz $input (log: $logs/$name.log)"
  fi
  printf '%-22s %12s  %s\n' "$name" "$(executions "$name")" "$result"
done
exit "$found"
