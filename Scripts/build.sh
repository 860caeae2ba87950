#!/bin/sh
# Builds the programs for installation, with the completions that locationctl prints. Swift's own
# libraries are linked in, so a machine without the toolchain can run them.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh build

# Neither the programs nor their debug information name the folder in which they were built, and no hash in them is of
# it: the compiler's caches of modules are named by one.
map=$PWD=/usr/src/meridian
# Each function in a section of its own, so that the linker leaves out what nothing calls, and keeps one of those
# that are the same (docs/decisions/0110); nothing looks for names in a program.
small="-Xswiftc -Xfrontend -Xswiftc -function-sections -Xswiftc -use-ld=lld -Xlinker --icf=safe -Xlinker --no-export-dynamic -Xlinker --build-id=sha1"
# Relocations in a fraction of the room, which glibc reads since 2.36, and is asked to.
libc=$(getconf GNU_LIBC_VERSION 2> /dev/null | sed 's/^glibc //')
[ "$(printf '%s\n2.36\n' "$libc" | sort -V | head -1)" != 2.36 ] || small="$small -Xlinker -z -Xlinker pack-relative-relocs"
for product in locationd locationctl locationfleet; do
  # shellcheck disable=SC2086
  swift build -c release --static-swift-stdlib --scratch-path .build/static --product "$product" $small \
    -Xswiftc -Xfrontend -Xswiftc -disable-incremental-llvm-codegen \
    -Xswiftc -Xfrontend -Xswiftc -no-clang-module-breadcrumbs \
    -Xswiftc -file-prefix-map -Xswiftc "$map" -Xswiftc -debug-prefix-map -Xswiftc "$map" \
    -Xcc "-ffile-prefix-map=$map"
done
share=.build/share
mkdir -p "$share"
for shell in bash zsh fish; do
  .build/static/release/locationctl completion $shell > "$share/locationctl.$shell"
done
