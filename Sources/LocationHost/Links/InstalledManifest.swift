import FoundationEssentials
import Glibc
import LocationModel

extension Manifest {
  /// Reads what the program at a path declares, from the places where its own process would look
  /// (`Info.plist` of its bundle, else `NAME.plist` beside it).
  init(ofExecutable path: String) {
    for place in Self.places(ofExecutable: path) {
      guard let values = Self.propertyList(place) else { continue }
      self.init(values, file: place)
      return
    }
    self.init(file: "\(path).plist")
  }

  /// Where the property list of a program may lie, in the order in which it is looked for.
  static func places(ofExecutable path: String) -> [String] {
    let folder = Self.folder(of: path)
    var places = ["\(folder)/Contents/Info.plist", "\(folder)/Resources/Info.plist"]
    if folder.hasSuffix("/Contents/Linux") {
      places.append("\(Self.folder(of: folder))/Info.plist")
    }
    return places + ["\(path).plist"]
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  private static func propertyList(_ path: String) -> [String: ManifestValue]? {
    guard let bytes = SmallFile.read(path, limit: longest) else { return nil }
    return try? PropertyListDecoder().decode([String: PlistValue].self, from: Data(bytes))
      .compactMapValues(\.value)
  }

  /// Bytes. A larger file is no app's property list.
  private static let longest = 1 << 20
}

/// A value of a property list; `nil` for one that no manifest needs, such as a date.
private struct PlistValue: Decodable {
  let value: ManifestValue?

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let flag = try? container.decode(Bool.self) {
      value = .bool(flag)
    } else if let number = try? container.decode(Int.self) {
      value = .integer(number)
    } else if let text = try? container.decode(String.self) {
      value = .string(text)
    } else if let elements = try? container.decode([PlistValue].self) {
      value = .array(elements.compactMap(\.value))
    } else if let entries = try? container.decode([String: PlistValue].self) {
      value = .dictionary(entries.compactMapValues(\.value))
    } else {
      value = nil
    }
  }
}

/// A file that is read whole, and the folder it lies in.
enum SmallFile {
  /// The names in a folder that are not hidden, sorted; none when it cannot be read.
  static func names(in folder: String) -> [String] {
    guard let stream = opendir(folder) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }

  /// `nil` when it cannot be read, is no plain file, or has more bytes than the limit.
  static func read(_ path: String, limit: Int) -> [UInt8]? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG,
      status.st_size <= limit
    else { return nil }
    return read(descriptor, limit: limit)
  }
}
