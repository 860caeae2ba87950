import LocationModel

extension RadioSet {
  /// So many choices of 5 % of the boxes have each box once. One choice may be that of the boxes without which a
  /// place cannot be distinguished, poisoned or not.
  static let poisons = 20

  /// The same recordings with a poisoned map: 5 % of the boxes were only ever taught three
  /// kilometers away, and ten hotspots travel along, loud, while it is taught and while it is asked.
  /// With `isLie` false, the boxes were never taught, and nothing travels along: what is lost without any lie.
  func poisoned(_ choice: Int, isLie: Bool = true) -> RadioSet {
    let boxes = Set(teaching.flatMap { $0.scan.readings.compactMap(\.box) }).sorted()
    let moved = Set(boxes.enumerated().filter { $0.offset % Self.poisons == choice }.map(\.element))
    var teaching: [PlacedScan] = []
    for placed in self.teaching {
      var (here, away) = (isLie ? placed.withHotspots : placed, placed)
      here.scan.readings.removeAll { $0.box.map { moved.contains($0) } ?? false }
      away.scan.readings.removeAll { !($0.box.map { moved.contains($0) } ?? false) }
      away.place = LocalFrame(center: placed.place).place(east: 3000, north: 0)
      // Before everything else, as if the boxes had been there the week before.
      away.scan.time = placed.scan.time - .seconds(604_800)
      if isLie, !away.scan.readings.isEmpty { teaching.append(away) }
      teaching.append(here)
    }
    teaching.sort { $0.scan.time < $1.scan.time }
    return RadioSet(
      name: name, teaching: teaching, asking: isLie ? asking.map(\.withHotspots) : asking)
  }
}

extension PlacedScan {
  /// The same scan with ten hotspots that are always near.
  fileprivate var withHotspots: PlacedScan {
    var placed = self
    placed.scan.readings += (0..<10).map { number in
      // Levels of pockets and bags, different each time.
      let level = -40 - Double((number * 7 + Int(scan.time.seconds)) % 20)
      return RadioScan.Reading(
        .accessPoint(BSSID(0x3000_0000_0000 | UInt64(number) << 8)), level: level)
    }
    return placed
  }
}

extension RadioScan.Reading {
  /// What the addresses of one box have in common.
  fileprivate var box: UInt64? {
    if case .accessPoint(let address) = transmitter { address.bits >> 4 } else { nil }
  }
}
