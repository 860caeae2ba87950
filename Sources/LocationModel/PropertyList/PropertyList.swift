/// Reads property lists that nobody vouches for: XML in UTF-8, and the binary form.
///
/// What is read is bounded before anything is built: bytes, depth, values, and the bytes of all
/// strings together, so that no file costs more than a few milliseconds and a megabyte or two.
/// Entities other than XML's own five are not known, and a document type with declarations of its
/// own is refused, as are all other forms (the old ASCII form, JSON, XML in UTF-16).
package enum PropertyList {
  /// Why a list is not read.
  package enum Fault: Error, Hashable, CustomStringConvertible {
    case tooLong(limit: Int)
    case tooDeep(limit: Int)
    case tooMany(limit: Int)
    /// The strings together, shared ones counted each time.
    case tooMuchText(limit: Int)
    /// Of no form that is read here.
    case unknownForm
    case declarations
    /// An entity that is none of XML's own.
    case unknownEntity
    /// Not well formed at this byte.
    case malformed(at: Int)

    package var description: String {
      switch self {
      case .tooLong(let limit): "it has more than \(limit) bytes"
      case .tooDeep(let limit): "its lists are nested deeper than \(limit)"
      case .tooMany(let limit): "it has more than \(limit) values"
      case .tooMuchText(let limit): "its texts have more than \(limit) bytes"
      case .unknownForm: "it is neither an XML property list in UTF-8 nor a binary one"
      case .declarations: "its document type declares something, which no property list needs"
      case .unknownEntity: "it uses an entity that XML does not define"
      case .malformed(let offset): "it is damaged at byte \(offset)"
      }
    }
  }

  /// What may be read. Chosen: ten times what the largest lists of real apps have.
  package struct Limits: Hashable, Sendable {
    /// Bytes of the file.
    package var bytes = 1 << 20
    /// Lists in lists.
    package var depth = 32
    /// Values of all kinds, keys included, and shared ones each time.
    package var values = 10_000
    /// Bytes of all strings.
    package var text = 1 << 20

    package init() {}
  }

  /// Reads the list at the top of a file.
  ///
  /// Values that no manifest needs (dates, data, reals) are left out, as are keys without a value.
  /// - Throws: why the bytes are no list that is read. Linear in the bytes.
  package static func read(
    _ bytes: [UInt8], limits: Limits = Limits()
  ) throws(Fault) -> [String: ManifestValue] {
    guard bytes.count <= limits.bytes else { throw .tooLong(limit: limits.bytes) }
    var builder = PropertyListBuilder(limits: limits)
    if bytes.starts(with: BinaryListReader.magic) {
      var reader = try BinaryListReader(bytes, limits: limits)
      try reader.read(into: &builder)
    } else {
      var reader = XMLListReader(bytes)
      try reader.read(into: &builder)
    }
    return builder.root?.dictionary ?? [:]
  }
}

/// Puts values into the lists that are open, and counts them.
struct PropertyListBuilder {
  private struct Container {
    var isDictionary: Bool
    var elements: [ManifestValue] = []
    var entries: [String: ManifestValue] = [:]
    /// The key of the value that comes next.
    var key: String?
  }

  private let limits: PropertyList.Limits
  private var open: [Container] = []
  private var values = 0
  private var text = 0
  /// The value at the top, once it is complete.
  private(set) var root: ManifestValue?

  init(limits: PropertyList.Limits) {
    self.limits = limits
  }

  var depth: Int { open.count }

  /// Whether the innermost open list is a dictionary; `nil` for none.
  var isInDictionary: Bool? { open.last?.isDictionary }

  /// Whether a dictionary waits for the value of its key.
  var awaitsValue: Bool { open.last?.key != nil }

  /// Begins a dictionary or an array.
  mutating func begin(dictionary isDictionary: Bool) throws(PropertyList.Fault) {
    guard open.count < limits.depth else { throw .tooDeep(limit: limits.depth) }
    open.append(Container(isDictionary: isDictionary))
  }

  /// Ends the innermost list.
  mutating func end() throws(PropertyList.Fault) {
    guard let list = open.popLast() else { return }
    try add(list.isDictionary ? .dictionary(list.entries) : .array(list.elements))
  }

  /// The key of the value that comes next; the first of two equal ones counts.
  mutating func addKey(_ key: String) throws(PropertyList.Fault) {
    try count(text: key.utf8.count)
    guard let last = open.indices.last else { return }
    open[last].key = key
  }

  /// Adds a value; `nil` for one that no manifest needs.
  mutating func add(_ value: ManifestValue?) throws(PropertyList.Fault) {
    if case .string(let text)? = value { try count(text: text.utf8.count) } else { try count() }
    guard let last = open.indices.last else { return root = value }
    guard open[last].isDictionary else {
      if let value { open[last].elements.append(value) }
      return
    }
    guard let key = open[last].key else { return }
    open[last].key = nil
    if let value, open[last].entries[key] == nil { open[last].entries[key] = value }
  }

  private mutating func count(text bytes: Int = 0) throws(PropertyList.Fault) {
    values += 1
    text += bytes
    guard values <= limits.values else { throw .tooMany(limit: limits.values) }
    guard text <= limits.text else { throw .tooMuchText(limit: limits.text) }
  }
}
