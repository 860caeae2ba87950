#!/bin/sh
# Builds the product CoreLocation and assembles in one folder what a compiler needs to import it
# outside a Swift package, so that `swiftc -I FOLDER …` is enough; prints where the build lies.
#
#   Scripts/module.sh FOLDER
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh

module=$1
Scripts/quietly.sh swift build --product CoreLocation
products=$(swift build --show-bin-path)

rm -rf "$module"
mkdir -p "$module"
cp "$products"/Modules/CoreLocation.swift* "$products"/Modules/Location*.swift* \
  Sources/CoreLocationTypes/include/* "$module"
# Modules that the face uses, and whose names an importer has to be able to resolve.
for name in CSQLite CSodium CSystemd; do
  mkdir "$module/$name"
  cp Sources/$name/* "$module/$name"
done
for name in CLinux CCurl CXCB; do
  mkdir "$module/$name"
  cp Sources/$name/include/* "$module/$name"
  header=$(basename Sources/$name/include/*.h)
  echo "module $name { header \"$header\" export * }" > "$module/$name/module.modulemap"
done
echo "$products"
