package import LocationModel

/// Writes the value as text where it is text, else as its bytes.
extension StateEntry: JSONCodable {
  package init(json: JSON) throws(CodingFault) {
    let key = StateKey(
      domain: try json.get("domain"), owner: try json.get("owner"), name: try json.get("name"))
    if let text = try json.find("text", String.self) {
      self.init(key: key, value: [UInt8](text.utf8))
    } else {
      self.init(key: key, value: try json.get("bytes", [UInt16].self).map { UInt8(clamping: $0) })
    }
  }

  package var json: JSON {
    let text = String(validating: value, as: UTF8.self)
    return .fields([
      "domain": key.domain.json, "owner": key.owner.json, "name": key.name.json,
      "text": text?.json, "bytes": text == nil ? value.map { UInt16($0) }.json : nil,
    ])
  }
}
