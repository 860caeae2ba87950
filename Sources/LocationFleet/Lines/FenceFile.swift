internal import LocationModel
internal import LocationProviders

/// The fences of a GeoJSON file (docs/formats/fleet.md).
package enum FenceFile {
  /// Bytes: two million circles have half of them.
  package static let longest = 1 << 30

  package struct Fault: Error {
    /// Counted from 1; `nil` for the file as a whole.
    package var feature: Int?
    package var cause: String
  }

  package static func read(_ bytes: [UInt8]) throws(Fault) -> FleetFences {
    var strange: FenceProperties?
    return try read(bytes, &strange)
  }

  /// Reads a file.
  ///
  /// - Parameters:
  ///   - bytes: the file.
  ///   - strange: takes the properties that are passed over; `nil` where nobody wants them.
  /// - Returns: the fences.
  /// - Throws: what is wrong with the first feature that is none.
  package static func read(
    _ bytes: [UInt8], _ strange: inout FenceProperties?
  ) throws(Fault) -> FleetFences {
    var fences = FleetFences()
    var fault: Fault?
    var number = 0
    var type: String?
    do throws(JSONFault) {
      var scanner = JSONScanner(bytes)
      try scanner.document { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "type": type = try value.string()
        case "features" where try value.isArray():
          try value.array { (scanner: inout JSONScanner) throws(JSONFault) in
            number += 1
            guard fault == nil, try scanner.isObject() else {
              fault = fault ?? Fault(feature: number, cause: "no Feature")
              return try scanner.skip()
            }
            var feature = Feature()
            if strange != nil { feature.strange = [] }
            try scanner.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
              try feature.take(key, &value)
            }
            for word in feature.strange ?? [] { strange?.note(word, feature: number) }
            do throws(Fault) { try feature.add(to: &fences, number) } catch { fault = error }
          }
        default: try value.skip()
        }
      }
    } catch {
      throw Fault(feature: number > 0 ? number : nil, cause: "this is no JSON (\(error))")
    }
    if let fault { throw fault }
    guard type == "FeatureCollection" else {
      throw Fault(feature: nil, cause: "this is no FeatureCollection")
    }
    return fences
  }
}

/// The members of one feature.
private struct Feature {
  var id: String?
  var geometry: String?
  var coordinates = FenceCoordinates()
  var radius, dwell: Double?
  var hasDwell = false
  var revision = 1.0
  var tenant, group, device: String?
  var isAudienceWrong = false
  /// Properties that are passed over, and members that are none of a feature; `nil` where nobody wants them.
  var strange: [String]?

  mutating func take(_ key: JSONKey, _ value: inout JSONScanner) throws(JSONFault) {
    switch key {
    case "id": id = try value.string()
    case "geometry" where try value.isObject():
      var copy = self
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        try copy.takeGeometry(key, &value)
      }
      self = copy
    case "properties" where try value.isObject():
      var copy = self
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        try copy.takeProperty(key, &value)
      }
      self = copy
    case "type": try value.skip()
    default:
      if strange != nil, FenceProperties.known.contains(key.text) { strange?.append(key.text) }
      try value.skip()
    }
  }

  private mutating func takeGeometry(
    _ key: JSONKey, _ value: inout JSONScanner
  ) throws(JSONFault) {
    switch key {
    case "type": geometry = try value.string()
    case "coordinates":
      coordinates = FenceCoordinates()
      try coordinates.read(&value)
    default: try value.skip()
    }
  }

  private mutating func takeProperty(
    _ key: JSONKey, _ value: inout JSONScanner
  ) throws(JSONFault) {
    switch key {
    case "id", "identifier":
      let text = try value.string()
      id = id ?? text
    case "radius": radius = try value.number()
    case "dwell":
      hasDwell = true
      dwell = try value.number()
    case "revision": revision = try value.number() ?? -1
    case "tenant": tenant = try value.string()
    case "audience":
      guard try value.isObject() else {
        isAudienceWrong = true
        return try value.skip()
      }
      var (group, device): (String?, String?) = (nil, nil)
      try value.object { (key: JSONKey, value: inout JSONScanner) throws(JSONFault) in
        switch key {
        case "group": group = try value.string()
        case "device": device = try value.string()
        default: try value.skip()
        }
      }
      (self.group, self.device) = (group, device)
      isAudienceWrong = (group == nil) == (device == nil)
    default:
      strange?.append(key.text)
      try value.skip()
    }
  }

  func add(to fences: inout FleetFences, _ number: Int) throws(FenceFile.Fault) {
    func fault(_ cause: String) -> FenceFile.Fault {
      FenceFile.Fault(feature: number, cause: cause)
    }
    let area: Area
    do throws(Cause) { area = try self.area() } catch { throw fault(error.text) }
    guard let id else { throw fault("no \"id\"") }
    guard let revision = UInt64(exactly: revision) else { throw fault("no whole \"revision\"") }
    guard !isAudienceWrong else {
      throw fault("an \"audience\" is {\"group\": …} or {\"device\": …}")
    }
    guard !hasDwell || dwell?.isFinite == true else { throw fault("\"dwell\" is no number") }
    let audience: FleetFence.Audience =
      if let group {
        .group(tenant: tenant ?? "", group)
      } else if let device {
        .device(tenant: tenant ?? "", device)
      } else {
        tenant.map { .tenant($0) } ?? .everyone
      }
    do throws(FleetFence.Fault) {
      try fences.insert(
        FleetFence(
          id: id, revision: revision, area, audience: audience,
          dwell: dwell.map { .seconds(min(max($0, 0), 1e9)) }))
    } catch { throw fault("\(error)") }
  }

  private struct Cause: Error { var text: String }

  /// What its geometry and radius say.
  private func area() throws(Cause) -> Area {
    let isPoint = geometry == "Point"
    guard let geometry, let depth = ["Point": 1, "Polygon": 3, "MultiPolygon": 4][geometry] else {
      throw Cause(
        text: "the geometry is \(geometry.map { "a \($0.prefix(32))" } ?? "missing"): only a Point "
          + "with a radius, a Polygon, or a MultiPolygon is a fence")
    }
    guard coordinates.isSound, coordinates.depth == depth else {
      throw Cause(
        text: isPoint
          ? "no [longitude, latitude]" : "the coordinates are not those of a \(geometry)")
    }
    if isPoint {
      guard let radius else { throw Cause(text: "no \"radius\" in meters") }
      return .circle(Circle(center: coordinates.positions[0], radius: radius))
    }
    guard radius == nil else { throw Cause(text: "a \(geometry) has no \"radius\"") }
    do throws(Polygon.Fault) {
      guard coordinates.count <= Polygon.mostPositions else {
        throw .tooMany(most: Polygon.mostPositions)
      }
      return .polygon(try Polygon(coordinates.polygons))
    } catch { throw Cause(text: "\(error)") }
  }
}
