#!/bin/sh
# A fleet on three nats-servers of the test's own, under a steady load: prints the pause from a fix to its event
# around each kill or restart, and compares the events with what `locationctl fleet replay` prints for the same fixes.
#
#   Scripts/fleet_cluster.sh [KILLS]              30 unless given: of who leads the fixes, the events, the leases,
#                                                 the state, or all streams, in turn; each is started again
#   Scripts/fleet_cluster.sh --restarts [ROUNDS]  5 unless given: of both workers, one after another, by SIGTERM
#   Scripts/fleet_cluster.sh --disk               the disk of one server is full; as root
#
# CLUSTER_PARTITIONS=N has the fleet have so many partitions, 2 unless given.
set -eu
cd "$(dirname "$0")/.."
. Scripts/toolchain.sh
Scripts/bootstrap.sh test

Scripts/quietly.sh swift build --build-tests
# What a fleet has that says nothing of these.
CLUSTER_SETTINGS=${CLUSTER_SETTINGS-lease = 3}
export CLUSTER_SETTINGS
case ${1:-} in
--restarts)
  CLUSTER_RESTARTS=${2:-5} swift test --skip-build --no-parallel --filter FleetClusterTests/restarted
  ;;
--disk) swift test --skip-build --no-parallel --filter ClusterOutageTests/fullDisk ;;
*) CLUSTER_KILLS=${1:-30} swift test --skip-build --no-parallel --filter FleetClusterTests/killed ;;
esac
