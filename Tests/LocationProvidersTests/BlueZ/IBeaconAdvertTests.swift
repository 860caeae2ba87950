import Foundation
import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("An iBeacon advertisement")
struct IBeaconAdvertTests {
  private let identity = BeaconIdentity(
    uuid: BeaconUUID(high: 0xE2C5_6DB5_DFFB_48D2, low: 0xB060_D0F5_A710_96E0), major: 1, minor: 2)

  @Test(
    "BEACON-1: decodes to what the shared adverts say, and nothing else decodes",
    .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
  func sharedAdverts() throws {
    let lines = try SharedData.lines("beacons/adverts.jsonl")
    var beacons = 0
    for line in lines {
      let advert = try JSONDecoder().decode(SharedAdvert.self, from: Data(line.utf8))
      let bytes = try #require(unhex(advert.ad ?? advert.hex))
      let found = IBeaconAdvert(advertisingData: bytes)
      #expect(found.map { "\($0.identity.uuid)" } == advert.beacon?.uuid, "\(line)")
      #expect(found.map(\.identity.major) == advert.beacon?.major, "\(line)")
      #expect(found.map(\.identity.minor) == advert.beacon?.minor, "\(line)")
      #expect(found.map(\.measuredPower) == advert.beacon?.measuredPower, "\(line)")
      beacons += found == nil ? 0 : 1
    }
    #expect(lines.count == 34)
    #expect(beacons == 14)
  }

  @Test(
    "is not seen in any of the sniffed payloads",
    .enabled(if: SharedData.folder != nil, "\(SharedData.isMissing)"))
  func sniffed() throws {
    let lines = try SharedData.lines("beacons/sniffed-adverts-negatives.tsv.gz").dropFirst()
    #expect(lines.count == 711)
    for line in lines {
      let bytes = try #require(unhex(String(line.prefix { $0 != "\t" })))
      #expect(IBeaconAdvert(advertisingData: bytes) == nil, "\(line)")
    }
  }

  @Test("is lost by any cut, and by any byte too many within its structure")
  func torn() {
    let whole = advertisingData(IBeaconAdvert(identity: identity))
    #expect(IBeaconAdvert(advertisingData: whole)?.identity == identity)
    for length in whole.indices {
      #expect(IBeaconAdvert(advertisingData: whole.prefix(length)) == nil)
    }
    var long = whole + [0]
    long[3] += 1
    #expect(IBeaconAdvert(advertisingData: long) == nil)
  }

  @Test("takes any bytes, of any length")
  func noise() {
    var random = SeededRandom(seed: 8)
    for _ in 0..<2000 {
      let length = Int.random(in: 0...80, using: &random)
      let bytes = (0..<length).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(IBeaconAdvert(advertisingData: bytes) == nil)
      #expect(IBeaconAdvert(bytes: bytes) == nil || length == 21)
    }
    let endless = [[UInt8]](repeating: [2, 1, 6], count: 100_000).flatMap { $0 }
    #expect(IBeaconAdvert.manufacturerData(in: endless).isEmpty)
  }

  @Test("BEACON-2: says −59 dBm when no measured power is given")
  func defaultPower() {
    #expect(IBeaconAdvert(identity: identity).bytes.last == 0xC5)
  }

  @Test("writes the 21 bytes of Apple's peripheral data and reads them back")
  func peripheralData() {
    let advert = IBeaconAdvert(identity: identity, measuredPower: -128)
    #expect(advert.bytes == identity.uuid.bytes + [0, 1, 0, 2, 0x80])
    #expect(IBeaconAdvert(bytes: advert.bytes) == advert)
    #expect(IBeaconAdvert([advert.manufacturerData]) == advert)
  }

  @Test("becomes a sample with the address, the strength, and the time of the advertisement")
  func sample() {
    let advertisement = Advertisement(
      address: BluetoothAddress(bits: 7), rssi: nil,
      manufacturerData: [
        ManufacturerData(company: 0x4C, payload: [0x10, 0x00]),
        IBeaconAdvert(identity: identity).manufacturerData,
      ], time: UnixTime(seconds: 9))
    let sample = BeaconSample(advertisement)
    #expect(
      sample
        == BeaconSample(
          identity: identity, address: BluetoothAddress(bits: 7), measuredPower: -59, rssi: nil,
          time: UnixTime(seconds: 9)))
  }

  private func advertisingData(_ advert: IBeaconAdvert) -> [UInt8] {
    [2, 1, 6, 26, 0xFF, 0x4C, 0x00] + advert.manufacturerData.payload
  }
}

/// A line of the shared `adverts.jsonl`.
private struct SharedAdvert: Decodable {
  var hex: String
  var ad: String?
  var expected: Expected

  struct Expected: Decodable {
    var type: String
    var uuid: String?
    var major: UInt16?
    var minor: UInt16?
    var measuredPower: Int8?
  }

  var beacon: Expected? { expected.type == "iBeacon" ? expected : nil }
}

/// The bytes of hexadecimal text; an odd digit at the end is a torn byte and left out.
private func unhex(_ text: String) -> [UInt8]? {
  let digits = text.compactMap(\.hexDigitValue)
  guard digits.count == text.count else { return nil }
  return stride(from: 0, to: digits.count - 1, by: 2).map {
    UInt8(digits[$0] << 4 | digits[$0 + 1])
  }
}
