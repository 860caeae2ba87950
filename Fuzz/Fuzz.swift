internal import Glibc

/// One decoder, fed with bytes.
struct Fuzzer: Sendable {
  var name: String
  var run: @Sendable ([UInt8]) -> Void

  init(_ name: String, _ run: @escaping @Sendable ([UInt8]) -> Void) {
    self.name = name
    self.run = run
  }

  /// Every fuzzer; each line of Fuzz/decoders.txt names one of them.
  static var all: [Fuzzer] {
    [canary] + lines + messages + values + files + kernel + buses + stored + owners + devices
      + sequences
  }

  /// Fails on purpose, three comparisons deep, to show that a fault is found and reported.
  static var canary: Fuzzer {
    Fuzzer("canary") { bytes in
      guard bytes.count > 2, bytes[0] == UInt8(ascii: "G"), bytes[1] == UInt8(ascii: "P") else {
        return
      }
      precondition(bytes[2] != UInt8(ascii: "X"), "the canary's fault")
    }
  }

  /// The fuzzer that `FUZZER` in the environment names.
  static var chosen: Fuzzer {
    let name = getenv("FUZZER").map { String(cString: $0) } ?? ""
    guard let fuzzer = all.first(where: { $0.name == name }) else {
      let names = all.map(\.name).joined(separator: " ")
      print("FUZZER must be one of: \(names)")
      exit(2)
    }
    return fuzzer
  }
}

private let run = Fuzzer.chosen.run

/// The entry that libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
package func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  run([UInt8](UnsafeBufferPointer(start: bytes, count: count)))
  return 0
}
