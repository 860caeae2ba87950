import Glibc
import LocationModel
import LocationProviders

/// The folder in which the kernel lists its sensors.
struct SensorFolder {
  let path: String

  var isThere: Bool { access(path, R_OK) == 0 }

  func read(_ query: SensorQuery) -> [SysfsReading] {
    switch query {
    case .survey: files(describing: IIODeviceTree.describes).compactMap(read)
    case .files(let paths): paths.compactMap(read)
    }
  }

  /// Returns the files one folder down whose relative path is wanted, sorted.
  private func files(describing isWanted: (String) -> Bool) -> [String] {
    SmallFile.names(in: path).flatMap { device in
      SmallFile.names(in: "\(path)/\(device)").map { "\(device)/\($0)" }.filter(isWanted)
    }
  }

  /// Reads a file; `nil` if it cannot be read. A busy sensor reports an error.
  private func read(_ file: String) -> SysfsReading? {
    let descriptor = open("\(path)/\(file)", O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: Self.longest)
    let count = Glibc.read(descriptor, &bytes, bytes.count)
    guard count >= 0 else { return nil }
    return SysfsReading(path: file, text: String(decoding: bytes.prefix(count), as: UTF8.self))
  }

  /// The most bytes read: the kernel's attributes have at most a page, and those used here a line.
  private static let longest = 4096
}
