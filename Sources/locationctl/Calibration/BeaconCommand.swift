import LocationEngine
import LocationModel

/// The options of `locationctl beacons calibrate`.
enum CalibrationOptions {
  static let adapter = Option(
    name: "adapter", value: .text("ADDRESS"),
    summary: "With calibrate: the adapter; else the one that receives, or with --clear all")
  static let seconds = Option(
    name: "seconds", value: .wholeNumber("N", BeaconCalibration.least...300),
    summary:
      "With calibrate: how long to listen at each place; \(BeaconCalibration.usual) unless given")
  static let list = Option(
    name: "list", summary: "With calibrate: show what is known of each adapter")
  static let clear = Option(
    name: "clear", summary: "With calibrate: forget the calibration, and what was learned")
}

/// What `locationctl beacons` was asked to do.
enum BeaconCommand {
  case show(NamedBeacons)
  case calibrate(NamedBeacons, BluetoothAddress?, seconds: Int)
  case list
  /// `nil` for all adapters.
  case clear(BluetoothAddress?)

  static let calibrate = "calibrate"

  init(_ invocation: Invocation) throws(Failure) {
    let words = invocation.operands[...]
    let only = [
      CalibrationOptions.adapter, CalibrationOptions.seconds, CalibrationOptions.list,
      CalibrationOptions.clear,
    ]
    guard words.first == Self.calibrate else {
      if let option = only.first(where: invocation.has) {
        throw invocation.usage("--\(option.name) needs calibrate before the beacon")
      }
      self = .show(try NamedBeacons(words, invocation))
      return
    }
    let adapter = try Self.adapter(invocation)
    switch (invocation.has(CalibrationOptions.list), invocation.has(CalibrationOptions.clear)) {
    case (true, true): throw invocation.usage("--list and --clear exclude each other")
    case (true, false): self = .list
    case (false, true): self = .clear(adapter)
    case (false, false):
      let named = try NamedBeacons(words.dropFirst(), invocation)
      let seconds = invocation.wholeNumber(CalibrationOptions.seconds) ?? BeaconCalibration.usual
      self = .calibrate(named, adapter, seconds: seconds)
      return
    }
    if words.count > 1 { throw invocation.usage("\"\(words[1])\" is one word too many") }
  }

  private static func adapter(_ invocation: Invocation) throws(Failure) -> BluetoothAddress? {
    guard let text = invocation.text(CalibrationOptions.adapter) else { return nil }
    guard let address = BluetoothAddress(text) else {
      throw invocation.usage(
        "\"\(text)\" is not the address of an adapter, such as 00:1A:7D:DA:71:13")
    }
    return address
  }
}
