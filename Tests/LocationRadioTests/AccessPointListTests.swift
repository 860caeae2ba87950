import LocationModel
import LocationRadio
import Testing

@Suite("A list of access points")
struct AccessPointListTests {
  private func read(_ text: String) throws -> AccessPointList {
    try AccessPointList(Array(text.utf8))
  }

  @Test("SIM-21: has an address and a place in each row; the first of an address counts")
  func rows() throws {
    let list = try read(
      """
      bssid,radio,local,latitude,longitude,Flags\r
      00:00:05:1c:9c:a8,b0fe44,0,49.86012,8.65766,\r
      00:00:42:e3:ae:46,909fd9,0,49.87183,8.66755,\r
      00:00:05:1c:9c:a8,b0fe44,0,49.9,8.7,\r

      """)
    #expect(list.entries.map(\.address) == [BSSID(0x05_1c9c_a8), BSSID(0x42_e3ae_46)])
    #expect(list.entries.first?.place == Coordinate(latitude: 49.86012, longitude: 8.65766))
    #expect(list.refusals.all.isEmpty)
  }

  @Test("SIM-21: counts by reason what no device would use, or what has no place")
  func refusals() throws {
    let list = try read(
      """
      mac,latitude,longitude,FLAGS
      00:00:05:1c:9c:a8,49.8,8.6,
      00:00:05:1c:9c:b8,49.8,8.6,m
      00:00:05:1c:9c:c8,49.8,8.6,n
      00:00:05:1c:9c:d8,49.8,8.6,mh
      nobody,49.8,8.6,
      00:00:05:1c:9c:e8,149.8,8.6,
      00:00:05:1c:9c:f8,49.8
      """)
    #expect(list.entries.count == 1)
    let counts = list.refusals.all.map { "\($0.count) \($0.reason)" }
    #expect(
      counts == ["2 noPlace", "1 noAddress", "1 optedOut", "1 hidden", "1 mobile"])
  }

  @Test("SIM-21: may be an export of WiGLE, whose names decide")
  func wigle() throws {
    let list = try read(
      """
      \u{FEFF}WigleWifi-1.4,appRelease=2.53
      MAC,SSID,FirstSeen,RSSI,CurrentLatitude,CurrentLongitude,Type
      00:11:22:33:44:10,"cafe, upstairs",2025-05-01 12:00:00,-60,48.1,11.5,WIFI
      00:11:22:33:44:20,My iPhone,2025-05-01 12:00:00,-60,48.1,11.5,WIFI
      00:11:22:33:44:30,,2025-05-01 12:00:00,-60,48.1,11.5,WIFI
      00:11:22:33:44:40,lamp,2025-05-01 12:00:00,-60,48.1,11.5,BLE
      310410_56967_7341585,mobile,2025-05-01 12:00:00,-60,48.1,11.5,GSM
      00:11:22:33:44:50,older,2025-05-01 12:00:00,-60,48.1,11.5,
      """)
    #expect(list.entries.map(\.address) == [BSSID(0x11_2233_4410), BSSID(0x11_2233_4450)])
    let counts = list.refusals.all.map { "\($0.count) \($0.reason)" }
    #expect(counts == ["1 hidden", "1 mobile", "2 otherRadio"])
  }

  @Test("SIM-21: is refused with the reason where it names no columns, is empty, or too long")
  func faults() {
    func fault(_ text: String, most: Int = 3) -> AccessPointList.Fault? {
      do throws(AccessPointList.Fault) {
        _ = try AccessPointList(Array(text.utf8), most: most)
      } catch {
        return error
      }
      return nil
    }
    var refusals = ImportRefusals()
    #expect(fault("bssid,lat,lon\n") == .empty(refusals))
    refusals.note(.noPlace)
    #expect(fault("") == .noColumns)
    #expect(fault("\u{1f}\u{8b}\u{8}") == .noColumns)
    #expect(fault("bssid,lat\n00:00:05:1c:9c:a8,49.8") == .noColumns)
    #expect(fault("bssid,lat,lon\n00:00:05:1c:9c:a8,x,8\n") == .empty(refusals))
    let rows = (1...4).map { "\(BSSID(UInt64($0))),1,2" }
    #expect(fault("bssid,lat,lon\n" + rows.joined(separator: "\n")) == .tooMany)
    #expect(fault("bssid,lat,lon\n" + rows.dropLast().joined(separator: "\n")) == nil)
  }
}
