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
scratch=.build/$kind-sanitizer

# The daemon looks at an app's files within 5 s, and a fleet's servers have times of their own: all are set for
# programs without a sanitizer, and some of these tests fail with one. Name them to run them nonetheless.
skip='DaemonTests|FleetWorkerTests'
# What an app begins is lost where the daemon does not answer within a second (LIFE-12).
skip="$skip|AppTests/briefServices"
# It searches all memory of a process for keys; that of a sanitizer has terabytes.
skip="$skip|KeysInMemoryTests"
case "$kind" in
  # Virtual time reads tasks of the runtime, and hands its jobs on in C, which the sanitizer does not see. And what
  # a manager reads at its start is `nil` where the daemon does not answer in time.
  thread) skip="$skip|LocationTestingTests|AppTests/lastPosition" ;;
esac

# The compiler of Swift refuses `undefined` on Linux, where Swift itself stops at an overflow, a range, or a
# conversion. So the parts in C are built with it, and stop the same way, without a library of the sanitizer.
if [ "$kind" = undefined ]; then
  set -- -Xcc -fsanitize=undefined -Xcc -fsanitize-trap=undefined -- "$@"
else
  set -- --sanitize "$kind" -- "$@"
fi
flags=
while [ "$1" != -- ]; do flags="$flags $1" && shift; done
shift
# The words of $flags are several.
# shellcheck disable=SC2086
swift build --build-tests $flags --scratch-path "$scratch"
export ASAN_OPTIONS="detect_leaks=0:${ASAN_OPTIONS:-}"
export TSAN_OPTIONS="halt_on_error=0:exitcode=66:suppressions=$PWD/Scripts/tsan-suppressions:${TSAN_OPTIONS:-}"
export MERIDIAN_SHARED="${MERIDIAN_SHARED:-$PWD/../shared}" XDG_STATE_HOME="$PWD/$scratch/test-state"
unset CORELOCATION_SOURCES
rm -rf "$XDG_STATE_HOME"
mkdir -p "$XDG_STATE_HOME"

if [ $# -gt 0 ]; then
  suites=$(printf '%s|' "$@")
  set -- --filter "${suites%|}"
else
  set -- --skip "$skip"
  echo "not run under the $kind sanitizer: $skip"
fi
# shellcheck disable=SC2086
swift test --skip-build --no-parallel $flags --scratch-path "$scratch" "$@"
