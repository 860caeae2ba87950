#!/bin/sh
# Builds the reference documentation into docs/site with the toolchain's own docc, offline.
#
#   DOCS_BASE_PATH=…   the path below which the site will be served (default: none)
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh docs

module=.build/CoreLocationModule
Scripts/module.sh "$module" > /dev/null
target=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
graphs=.build/symbol-graphs
rm -rf "$graphs" docs/site
mkdir -p "$graphs"
swift-symbolgraph-extract -module-name CoreLocation -I "$module" -target "$target" \
  -minimum-access-level public -skip-inherited-docs -output-dir "$graphs"
python3 - "$graphs/CoreLocation.symbols.json" << 'PYTHON'
# The C headers bring names of the C library along; only our own are documented.
import json, sys
path = sys.argv[1]
graph = json.load(open(path))
graph["symbols"] = [
    symbol for symbol in graph["symbols"]
    if not symbol["identifier"]["precise"].startswith("c:@")
    or symbol["pathComponents"][0].lstrip("k").startswith("CL")]
json.dump(graph, open(path, "w"))
PYTHON

docc convert Sources/CoreLocation/CoreLocation.docc \
  --additional-symbol-graph-dir "$graphs" \
  --fallback-display-name CoreLocation \
  --fallback-bundle-identifier org.meridian.CoreLocation \
  --transform-for-static-hosting ${DOCS_BASE_PATH:+--hosting-base-path "$DOCS_BASE_PATH"} \
  --warnings-as-errors \
  --output-path docs/site
echo "docs: docs/site/documentation/corelocation"
