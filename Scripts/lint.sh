#!/bin/sh
# Format and lint rules, and the documentation of public functions, as errors.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh

# The conformance suite keeps the form in which it was handed over.
tests=$(find Tests -mindepth 1 -maxdepth 1 -type d ! -name Conformance)
# shellcheck disable=SC2086
swift format lint --strict -r Package.swift Sources $tests Benchmarks Examples/Package.swift \
  Examples/Sources Examples/Template
for script in Scripts/*.sh Scripts/*/*.sh systemd/*.sh; do sh -n "$script"; done
if command -v python3 > /dev/null; then
  for script in Scripts/*.py; do
    python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' "$script"
  done
  python3 Scripts/doc_coverage.py --check
fi
echo "lint: clean"
