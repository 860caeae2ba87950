#!/bin/sh
# Compiles the conformance suite against the module, and compares the module with Apple's symbols.
#
# The suite and the list of symbols are in Tests/Conformance.
#
# Scripts/module.sh assembles what is needed outside a Swift package. Within one, depending on the
# product CoreLocation is all it takes.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh

suite=$PWD/Tests/Conformance
symbols=$suite/corelocation-api.tsv
target=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

fail() {
  echo "conformance: $1" >&2
  [ -z "${2:-}" ] || cat "$2" >&2
  exit 1
}

compile() {  # the command of the suite's README, for the files given
  swiftc -emit-sil -wmo -o /dev/null -swift-version 6 -parse-as-library \
    -module-name CoreLocationConformance -I "$module" "$@" > "$scratch/log" 2>&1
}

echo "building"
module=.build/CoreLocationModule
products=$(Scripts/module.sh "$module") || fail "the build failed"

echo "the suite as a whole"
compile "$suite"/*.swift || fail "the suite does not compile" "$scratch/log"
grep -E '^/.*warning:' "$scratch/log" |
  grep -v -e 'DeprecatedDeclaration' -e "must restate inherited '@unchecked Sendable'" \
    > "$scratch/warnings" && fail "unexpected warnings" "$scratch/warnings"

echo "each file with its support"
for file in "$suite"/[0-9]*.swift; do
  [ "$file" = "$suite/00_Support.swift" ] && continue
  compile "$suite/00_Support.swift" "$file" || fail "$file does not compile" "$scratch/log"
done

echo "what must be rejected, and why"
reason() {  # what the compiler must complain of, by the name of the file
  case $1 in
    *open_enum*) echo 'may have additional unknown values' ;;
    *sendable*) echo 'Sendable' ;;
    *not_codable*) echo "conform to 'Encodable'" ;;
    *not_equatable*) echo "operator '=='" ;;
    *not_hashable*) echo "'Hashable'" ;;
    *read_only*) echo 'get-only' ;;
    *must_be_nsobject*) echo "'NSObjectProtocol'" ;;
    *needs_await*) echo 'actor-isolated' ;;
    *no_init* | *no_public_init*) echo 'missing argument\|inaccessible' ;;
    *case_iterable*) echo "no member 'allCases'" ;;
    *get_distance*) echo 'getDistanceFrom' ;;
    *region_center*) echo "'center'" ;;
    *uuid_label*) echo 'UUID\|call to initializer' ;;
    *) echo 'no reason known for this file' ;;
  esac
}
compile "$suite/19_ImportOnlyCoreLocation.swift" || fail "the control was rejected" "$scratch/log"
for file in "$suite"/negative/*.swift; do
  compile "$file" && fail "$file was accepted"
  grep "^$file:.*error:" "$scratch/log" | grep -q "$(reason "$file")" ||
    fail "$file was rejected for another reason" "$scratch/log"
done

echo "facts at run time"
cat > "$scratch/main.swift" <<'SWIFT'
let mismatches = coreLocationFactMismatches()
for mismatch in mismatches { print(mismatch) }
if !mismatches.isEmpty { fatalError("the facts do not hold") }
SWIFT
# The objects of the sources there are; a build folder also keeps those of files that went.
for target in CoreLocation CoreLocationTypes CLinux CCurl CXCB Location; do
  for folder in Sources/$target Sources/$target[A-Z]*; do
    case $folder in *Simulation | *Testing) continue ;; esac
    [ -d "$folder" ] || continue
    find "$folder" \( -name '*.swift' -o -name '*.c' \) -printf '%f\n' | while read -r source; do
      object="$products/$(basename "$folder").build/$source.o"
      [ ! -f "$object" ] || echo "$object"
    done
  done
done | sort -u > "$scratch/objects"
swiftc -swift-version 6 -I "$module" -o "$scratch/facts" "$scratch/main.swift" \
  "$suite/70_RuntimeFacts.swift" $(cat "$scratch/objects") -lsqlite3 -lsystemd > "$scratch/log" 2>&1 ||
  fail "the facts do not link" "$scratch/log"
"$scratch/facts" > "$scratch/log" 2>&1 || fail "facts do not hold" "$scratch/log"

echo "every symbol that iOS 18 code can call"
swift-symbolgraph-extract -module-name CoreLocation -I "$module" -target "$target" \
  -output-dir "$scratch" -minimum-access-level public
python3 Scripts/conformance-symbols.py "$symbols" "$scratch/CoreLocation.symbols.json"

echo "everything holds"
