#!/bin/sh
# What has to hold before a change is sent, and what continuous integration runs.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh test
Scripts/lint.sh
make test
Scripts/docs.sh
