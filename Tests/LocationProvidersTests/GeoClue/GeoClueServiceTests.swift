import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("GeoClue's clients")
struct GeoClueServiceTests {
  private var stage = GeoClueStage()
  private let client = GeoClueStage.client(1)

  @Test("GEOCLUE-2: a call waits until the process of its caller is identified")
  mutating func identity() {
    stage.call("GetClient")
    stage.call("CreateClient")
    #expect(stage.said() == ["identify :1.7"])
    stage.bench.send(.known(":1.7", user: 1000))
    #expect(
      stage.said() == [":1.7 has +1", "1: /Client/1", ":1.7 has +1", "2: /Client/2"])
  }

  @Test("GEOCLUE-2: a program that cannot be identified is refused with the reason, and asked anew")
  mutating func unidentified() {
    stage.call("GetClient")
    stage.bench.send(.unknown(":1.7", reason: "process 9 has ended"))
    stage.call("GetClient")
    #expect(
      stage.said() == [
        "identify :1.7", "1: AccessDenied Access denied: process 9 has ended", "forget :1.7",
        "identify :1.7",
      ])
  }

  @Test("GEOCLUE-3: a connection has one usual client, and others that it creates")
  mutating func clients() {
    stage.open()
    stage.call("GetClient")
    stage.call("CreateClient")
    stage.open(":1.8")
    _ = stage.said()
    stage.call("DeleteClient", .objectPath(client))
    stage.call("GetClient")
    #expect(stage.said() == [":1.7 has -1", "5: done", ":1.7 has +1", "6: /Client/4"])
  }

  @Test("GEOCLUE-3: deleting another's client, or none, succeeds and does nothing")
  mutating func foreignDeletion() {
    stage.open()
    stage.open(":1.8")
    _ = stage.said()
    stage.call("DeleteClient", .objectPath(client), of: ":1.8")
    stage.call("DeleteClient", .objectPath("/org/freedesktop/GeoClue2/Client/99"))
    stage.call("DeleteClient", .objectPath("/"))
    stage.call("GetClient")
    #expect(stage.said() == ["3: done", "4: done", "5: done", "6: /Client/1"])
  }

  @Test("GEOCLUE-4: another's client says nothing, and a path without an object does not exist")
  mutating func foreign() {
    stage.begin()
    stage.fix(fix())
    stage.open(":1.8")
    _ = stage.said()
    stage.call("Start", at: client, of: ":1.8")
    stage.get("Location", at: client, "Client", of: ":1.8")
    stage.set("DesktopId", .string("x"), of: ":1.8")
    stage.get("Latitude", at: client + "/Location/0", "Location", of: ":1.8")
    stage.call(
      "GetAll", .string("org.freedesktop.GeoClue2.Location"), at: client + "/Location/0",
      of: ":1.8", interface: "org.freedesktop.DBus.Properties")
    stage.call("Start", at: GeoClueStage.client(3))
    stage.call("Start", at: client + "/Location/1")
    stage.call("Start", at: client + "/Location/00")
    #expect(
      stage.said() == [
        "6: AccessDenied Access denied", "7: AccessDenied Access denied",
        "8: AccessDenied Access denied", "9: AccessDenied Access denied", "10: {}",
        "11: UnknownMethod Object does not exist at path “\(GeoClueStage.client(3))”",
        "12: UnknownMethod Object does not exist at path “\(client)/Location/1”",
        "13: UnknownMethod Object does not exist at path “\(client)/Location/00”",
      ])
  }

  @Test("GEOCLUE-5: starting needs a desktop id, and starting or stopping twice changes nothing")
  mutating func start() {
    stage.open()
    stage.call("Start", at: client)
    stage.call("Stop", at: client)
    stage.set("DesktopId", .string("maps"))
    _ = stage.bench.outputs.count
    stage.call("Start", at: client)
    stage.call("Start", at: client)
    stage.bench.send(.state(":1.7", GeoClueStage.granted))
    stage.call("Start", at: client)
    stage.call("Stop", at: client)
    stage.call("Stop", at: client)
    #expect(
      stage.said().dropFirst(3) == [
        "2: AccessDenied 'DesktopId' property must be set", "3: done", "4: done",
        ":1.7 hears PropertiesChanged Client {DesktopId:maps} ", "join :1.7 as maps", "5: done",
        "6: done", ":1.7 hears PropertiesChanged Client {Active:true} ", "start 1 reduced",
        "all hears PropertiesChanged Manager {InUse:true} ", "7: done", "stop 1",
        ":1.7 hears PropertiesChanged Client {Active:false} ", "8: done",
        "all hears PropertiesChanged Manager {InUse:false} ", "9: done",
      ])
  }

  @Test("GEOCLUE-15: what the sources can do, and whether a client is active, are for everybody")
  mutating func manager() {
    stage.begin()
    stage.bench.send(.available(.exact))
    stage.bench.send(.available(.exact))
    _ = stage.said()
    stage.call("GetClient", of: ":1.9")
    stage.bench.send(.known(":1.9", user: 1))
    _ = stage.said()
    stage.get("InUse", at: GeoClueStage.manager, "Manager", of: ":1.9")
    stage.get("AvailableAccuracyLevel", at: GeoClueStage.manager, "Manager", of: ":1.9")
    stage.set("InUse", .boolean(true), at: GeoClueStage.manager, "Manager", of: ":1.9")
    #expect(
      stage.said() == ["6: true", "7: 8", "8: InvalidArgs “InUse” cannot be set to this value"])
    let changes = stage.bench.outputs.filter {
      if case .emit(_, to: nil) = $0.output { true } else { false }
    }
    #expect(changes.count == 2)
  }

  @Test("GEOCLUE-16: properties are set by their types, and refused otherwise")
  mutating func properties() {
    stage.open()
    _ = stage.said()
    stage.set("DistanceThreshold", .uint32(.max))
    stage.set("DistanceThreshold", .uint32(.max))
    stage.set("TimeThreshold", .int32(1))
    stage.set("Location", .objectPath("/"))
    stage.set("Color", .string("red"))
    stage.set("DesktopId", .string(String(repeating: "x", count: 256)))
    stage.get("Color", at: client, "Client")
    stage.get("DistanceThreshold", at: client, "Client")
    stage.get("RequestedAccuracyLevel", at: client, "Client")
    stage.get("Latitude", at: client, "Location")
    #expect(
      stage.said() == [
        "2: done", ":1.7 hears PropertiesChanged Client {DistanceThreshold:4294967295} ",
        "3: done", "4: InvalidArgs “TimeThreshold” cannot be set to this value",
        "5: InvalidArgs “Location” cannot be set to this value",
        "6: InvalidArgs No such property “Color”",
        "7: InvalidArgs “DesktopId” cannot be set to this value",
        "8: InvalidArgs No such property “Color”", "9: 4294967295", "10: 4",
        "11: InvalidArgs No such interface “org.freedesktop.GeoClue2.Location”",
      ])
  }

  @Test("GEOCLUE-16: every object describes itself, and calls that it does not have fail")
  mutating func introspection() {
    stage.open()
    for path in ["/org/freedesktop/GeoClue2", GeoClueStage.manager, client] {
      stage.call("Introspect", at: path, interface: "org.freedesktop.DBus.Introspectable")
      guard case .answer(_, .values(let values)) = stage.bench.outputs.last?.output else {
        Issue.record("\(path) says nothing")
        continue
      }
      #expect(values.first?.text?.contains("org.freedesktop.DBus.Properties") == true)
    }
    _ = stage.said()
    stage.call("GetClient", .uint32(1))
    stage.call("Start", at: client, interface: "org.example.Other")
    #expect(
      stage.said() == [
        "5: UnknownMethod No such method “GetClient” with these arguments",
        "6: UnknownMethod No such interface “org.example.Other”",
      ])
  }
}
