#!/bin/sh
# Builds the reference documentation of every library of the package into docs/site, one site with an
# index, by the toolchain's own docc, offline. A warning ends it.
#
#   DOCS_BASE_PATH=…   the path below which the site will be served (default: none)
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh docs

modules=.build/CoreLocationModule
products=$(Scripts/module.sh "$modules")
# What LocationTesting imports beside what CoreLocation does.
mkdir "$modules/CVirtualTime"
cp Sources/CVirtualTime/include/* "$modules/CVirtualTime"
header=$(basename Sources/CVirtualTime/include/*.h)
echo "module CVirtualTime { header \"$header\" export * }" > "$modules/CVirtualTime/module.modulemap"
target=$(swiftc -print-target-info | sed -n 's/.*"unversionedTriple": "\(.*\)".*/\1/p')
work=.build/docs
rm -rf "$work" docs/site
mkdir -p "$work"

archives=
libraries=$(env -u FUZZ swift package describe --type json | python3 -c '
import json, sys
for product in json.load(sys.stdin)["products"]:
    if "library" in product["type"]: print(product["name"])')
for name in $libraries; do
  catalog=Sources/$name/$name.docc
  [ -d "$catalog" ] || { echo "$name has no documentation catalog: $catalog" >&2; exit 1; }
  Scripts/quietly.sh swift build --product "$name"
  graphs=$work/$name
  mkdir "$graphs"
  swift-symbolgraph-extract -module-name "$name" -I "$modules" -I "$products/Modules" \
    -target "$target" -minimum-access-level public -skip-inherited-docs -output-dir "$graphs"
  python3 - "$graphs" << 'PYTHON'
# The C headers bring names of the C library along; only our own are documented.
import json, pathlib, sys
for path in pathlib.Path(sys.argv[1]).glob("*.symbols.json"):
    graph = json.loads(path.read_text())
    graph["symbols"] = [
        symbol for symbol in graph["symbols"]
        if not symbol["identifier"]["precise"].startswith("c:@")
        or symbol["pathComponents"][0].lstrip("k").startswith("CL")]
    path.write_text(json.dumps(graph))
PYTHON
  docc convert "$catalog" \
    --additional-symbol-graph-dir "$graphs" \
    --fallback-display-name "$name" \
    --fallback-bundle-identifier "org.meridian.$name" \
    --transform-for-static-hosting ${DOCS_BASE_PATH:+--hosting-base-path "$DOCS_BASE_PATH"} \
    --warnings-as-errors \
    --output-path "$work/$name.doccarchive"
  archives="$archives $work/$name.doccarchive"
done
docc merge $archives --synthesized-landing-page-name Meridian --output-path docs/site
echo "docs: docs/site/documentation"
