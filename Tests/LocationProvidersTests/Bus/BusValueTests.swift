import LocationModel
import LocationProviders
import Testing

@Suite("A value on the bus")
struct BusValueTests {
  @Test("knows its signature, also when it is empty")
  func signatures() {
    let filter = BusValue.properties(["Transport": .string("le"), "DuplicateData": .boolean(true)])
    #expect(filter.signature == "a{sv}")
    #expect(BusValue.properties([:]).signature == "a{sv}")
    #expect(BusValue.array(of: "(yyay)", []).signature == "a(yyay)")
    #expect(BusValue.structure([.byte(0), .bytes([1]), .objectPath("/")]).signature == "(yayo)")
    let all: [BusValue] = [
      .boolean(true), .byte(1), .int16(1), .uint16(1), .int32(1), .uint32(1), .int64(1), .uint64(1),
      .double(1), .string(""), .variant(.byte(1)),
    ]
    #expect(all.map(\.signature).joined() == "bynqiuxtdsv")
  }

  @Test("reads through variants and by name")
  func reading() {
    let device = BusValue.properties(["RSSI": .int16(-57), "Address": .string("C0")])
    #expect(device["RSSI"]?.integer == -57)
    #expect(device["Address"]?.text == "C0")
    #expect(device["Name"] == nil)
    #expect(BusValue.variant(.variant(.boolean(true))).boolean == true)
    #expect(BusValue.string("x")["RSSI"] == nil)
  }

  @Test("is not taken for another type")
  func wrongType() {
    #expect(BusValue.string("1").integer == nil)
    #expect(BusValue.int16(1).text == nil)
    #expect(BusValue.int16(1).boolean == nil)
    #expect(BusValue.int16(1).double == nil)
    #expect(BusValue.string("1").bytes == nil)
    #expect(BusValue.bytes([1]).elements == nil)
    #expect(BusValue.uint64(.max).integer == nil)
  }
}
