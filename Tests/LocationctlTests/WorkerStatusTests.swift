import Testing

@testable import locationctl

@Suite("What locationctl fleet status shows of a worker")
struct WorkerStatusTests {
  private static func status(_ more: String = "") -> FleetStatus {
    FleetStatus(
      """
      # HELP meridian_fleet_partitions Partitions of the fleet.
      meridian_fleet_build_info{version="0.1.0"} 1
      meridian_fleet_partitions 4
      meridian_fleet_takeovers_total 3
      meridian_fleet_fenced_off_total 1
      meridian_fleet_faults_total 2
      meridian_fleet_devices{partition="0"} 24
      meridian_fleet_position{partition="0"} 360
      meridian_fleet_snapshot_age_seconds{partition="0"} 1.5

      """ + more)
  }

  @Test(
    "FLEET-131: the worker itself is an object of JSON, and what waits is left out where it is not known"
  )
  func json() {
    let lines = Self.status("meridian_fleet_broker_silence_seconds 35.2\n").json
    #expect(
      lines.first
        == #"{"type":"worker","partitions":4,"judging":1,"waiting_for_key":0,"held_up":0,"#
        + #""broker_silence":35,"takeovers":3,"fenced_off":1,"faults":2,"version":"0.1.0"}"#)
    #expect(
      lines.dropFirst() == [
        #"{"type":"partition","partition":0,"devices":24,"position":360,"snapshot_age":1.5}"#
      ])
    let known = Self.status("meridian_fleet_lag_messages{partition=\"0\"} 7\n").json
    #expect(known.last?.contains(#""lag_messages":7"#) == true)
  }

  @Test(
    "FLEET-127, FLEET-131: a broker that does not answer, and partitions that are held up, come first"
  )
  func warnings() {
    #expect(Self.status().warnings.isEmpty)
    let found = Self.status(
      """
      meridian_fleet_broker_silence_seconds 35.2
      meridian_fleet_partitions_held_up{cause="key"} 2
      meridian_fleet_partitions_held_up{cause="other"} 1
      """
    ).warnings
    #expect(found.count == 2 && found.allSatisfy { $0.hasSuffix("next: locationfleet doctor") })
    #expect(found.first?.contains("not answered for 35 s") == true)
    #expect(found.last?.contains("3 partitions, of 2 for want of a tenant's key") == true)
  }

  @Test("FLEET-131: the object of a sink has its faults")
  func sink() {
    let status = FleetStatus(
      "meridian_fleet_sink_active{sink=\"webhook\"} 1\nmeridian_fleet_sink_faults_total 5\n")
    #expect(status.json.first?.hasSuffix(#""faults":5}"#) == true)
  }
}
