#!/bin/sh
# Builds the tests under one of the compiler's sanitizers, in a folder of its own, and runs them.
# What cannot run under one is listed below, with the reason, and is not run.
#
# usage: Scripts/sanitize.sh address|thread|undefined [SUITE...]
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
kind=${1:-}
case "$kind" in
  address | thread | undefined) shift ;;
  *) sed -n '2,6s/^# \{0,1\}//p' "$0" >&2 && exit 64 ;;
esac
Scripts/bootstrap.sh test
scratch=$PWD/.build/$kind-sanitizer
mkdir -p "$scratch"
suites=$(printf '|%s' "$@")

# With optimization: the daemon looks at an app's files within 5 s, an app asks it within one, and a fleet's servers have
# times of their own, all set for programs that are not many times slower.
set -- -c release -Xswiftc -enable-testing --scratch-path "$scratch"
case "$kind" in
  address) set -- "$@" --sanitize address ;;
  thread)
    clang -O1 -c Scripts/tsan-mutex.c -o "$scratch/tsan-mutex.o"
    set -- "$@" --sanitize thread -Xlinker "$scratch/tsan-mutex.o"
    for function in 9_lockSlowyys6UInt32VF 11_unlockSlowyyF; do
      set -- "$@" -Xlinker "--wrap=\$s15Synchronization12_MutexHandleV$function"
    done
    ;;
  # The compiler of Swift refuses it on Linux, where Swift itself stops at an overflow, a range, or a conversion. So
  # the parts in C are built with it, and stop the same way, without a library of the sanitizer.
  undefined) set -- "$@" -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined ;;
esac
swift build --build-tests "$@"

# What programs that the tests start report is in files, of whichever user they are.
reports=$scratch/reports
rm -rf "$reports"
mkdir -m 1777 "$reports"
export ASAN_OPTIONS="detect_leaks=0:log_path=$reports/report:${ASAN_OPTIONS:-}"
# A test reads a list that it has, and lets go of it; what appends to the list then looks whether anybody else has it.
# That is in order by the reference count, which the sanitizer does not see.
echo 'race:DaemonTests9KeptLines' > "$scratch/suppressions"
export TSAN_OPTIONS="exitcode=66:log_path=$reports/report:suppressions=$scratch/suppressions:${TSAN_OPTIONS:-}"
export MERIDIAN_SHARED="${MERIDIAN_SHARED:-$PWD/../shared}" XDG_STATE_HOME="$scratch/test-state"
unset CORELOCATION_SOURCES
rm -rf "$XDG_STATE_HOME"
mkdir -p "$XDG_STATE_HOME"
[ "$suites" = '|' ] || set -- "$@" --filter "${suites#|}"
if [ "$kind" != undefined ]; then
  # It searches all memory of a process for keys; that of a sanitizer has terabytes.
  skip=KeysInMemoryTests
  # It compares the time of the daemon's queue with that of the whole process, most of which is the sanitizer's.
  skip="$skip|FairnessTests/pace"
  # The sanitizer itself needs a file that may grow, and loses its state in a child that shares the memory.
  [ "$kind" != thread ] || skip="$skip|FaultTests/fileSizeAtStart|ForgedProgramTests/(trusted|ownUser)"
  set -- "$@" --skip "$skip"
  echo "not run under the $kind sanitizer: $skip"
fi
status=0
swift test --skip-build --no-parallel "$@" || status=$?
for report in "$reports"/*; do
  [ -e "$report" ] || continue
  status=1
  echo "$report: $(grep -h '^SUMMARY' "$report" || head -1 "$report")"
done
exit "$status"
