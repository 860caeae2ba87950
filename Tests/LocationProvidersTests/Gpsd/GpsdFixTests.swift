import LocationModel
import Testing

@testable import LocationProviders

@Suite("A fix of gpsd")
struct GpsdFixTests {
  private func fix(_ members: String, _ context: GpsdContext = GpsdContext()) throws -> Fix {
    let line = """
      {"class":"TPV","mode":3,"time":"2024-01-01T00:00:00Z","lat":47.1,"lon":9.5,\(members)}
      """
    return try Fix(try GpsdReport.parse(Array(line.utf8)), context)
  }

  private func context(_ lines: String...) throws -> GpsdContext {
    try lines.reduce(into: GpsdContext()) { context, line in
      context.note(try GpsdReport.parse(Array(line.utf8)))
    }
  }

  private static let deviations =
    #"{"class":"GST","time":"2024-01-01T00:00:01Z","lat":3,"lon":4,"alt":7.5}"#

  @Test("LOC-5: scales errors of 95 % to a radius of 68 %")
  func scaling() throws {
    func near(_ members: String, _ expected: Double) throws {
      let accuracy = try fix(members).horizontalAccuracy
      #expect((accuracy - expected).magnitude < 0.001, "\(members)")
    }
    try near(#""eph":16.214"#, 10)
    try near(#""eph":16.214,"epx":99,"epy":99,"sep":99"#, 10)
    try near(#""epx":19.6,"epy":19.6"#, 15.096)
    try near(#""epx":19.6,"epy":0,"sep":99"#, 10.6745)
    try near(#""sep":18.518"#, 10)
    try near(#""eph":0,"sep":18.518"#, 10)
  }

  @Test("LOC-5: prefers the standard deviations of a GST, while they are fresh")
  func deviations() throws {
    let fresh = try fix(#""eph":50,"altMSL":1,"epv":50"#, try context(Self.deviations))
    #expect((fresh.horizontalAccuracy - 1.5096 * 12.5.squareRoot()).magnitude < 1e-9)
    #expect(fresh.verticalAccuracy == 7.5)
    let stale = try context(Self.deviations.replacing("00:00:01Z", with: "00:01:01Z"))
    let fixed = try fix(#""eph":16.214,"altMSL":1,"epv":19.6"#, stale)
    #expect((fixed.horizontalAccuracy - 10).magnitude < 0.001)
    #expect((try #require(fixed.verticalAccuracy) - 10).magnitude < 1e-9)
  }

  @Test("LOC-5: falls back on the dilution of precision")
  func dilution() throws {
    let context = try context(
      #"{"class":"SKY","hdop":2.0,"vdop":3.0}"#, #"{"class":"SKY","uSat":5}"#)
    let fix = try fix(#""altMSL":1"#, context)
    #expect((fix.horizontalAccuracy - 2 * 19 / 1.6214).magnitude < 0.001)
    #expect((try #require(fix.verticalAccuracy) - 3 * 23 / 1.96).magnitude < 0.001)
  }

  @Test("LOC-7: takes both heights, or makes one of the other and the undulation")
  func heights() throws {
    func heights(_ members: String) throws -> [Double?] {
      let fix = try fix(#""eph":1,"# + members)
      return [fix.altitude, fix.ellipsoidalAltitude]
    }
    #expect(try heights(#""altMSL":10,"altHAE":60,"alt":5"#) == [10, 60])
    let geoid = Geoid.undulation(at: Coordinate(latitude: 47.1, longitude: 9.5))
    #expect(try heights(#""alt":10"#) == [10, 10 + geoid])
    #expect(try heights(#""altHAE":60"#) == [60 - geoid, 60])
    #expect(try heights(#""altHAE":60,"geoidSep":50"#) == [10, 60])
    #expect(try heights(#""altMSL":10,"geoidSep":50"#) == [10, 60])
    #expect(try heights(#""mode":2,"altMSL":10,"epv":3"#) == [nil, nil])
  }

  @Test("has a course only while moving, and never uses the magnetic one")
  func course() throws {
    #expect(try fix(#""eph":1,"speed":2,"track":361.5,"magtrack":9,"epd":3.92"#).course == 1.5)
    #expect(try fix(#""eph":1,"speed":2,"track":1,"epd":3.92"#).courseAccuracy == 2)
    #expect(try fix(#""eph":1,"speed":2,"magtrack":9,"magvar":3"#).course == nil)
    #expect(try fix(#""eph":1,"speed":0.1,"track":90"#).course == nil)
    #expect(try fix(#""eph":1,"track":90"#).course == nil)
    #expect(try fix(#""eph":1,"speed":-1,"track":90"#).speed == nil)
    #expect(try fix(#""eph":1,"speed":1,"eps":1.96"#).speedAccuracy == 1)
  }

  @Test("LOC-6: estimates how exact speed and course are where gpsd does not say")
  func unstatedMotion() throws {
    let fix = try fix(#""eph":1,"speed":10,"track":90"#, context(#"{"class":"SKY","hdop":1.5}"#))
    #expect(fix.speedAccuracy.map { ($0 - 0.3).magnitude < 1e-9 } == true)
    #expect(fix.courseAccuracy.map { ($0 - 1.718).magnitude < 0.001 } == true)
    #expect(try (self.fix(#""eph":1,"speed":0.1"#).speedAccuracy ?? 0) > 0)
  }

  @Test("SIM-6: is simulated when the receiver says so")
  func simulated() throws {
    #expect(try fix(#""eph":1,"status":8"#).origin.isSimulated)
    #expect(try !fix(#""eph":1,"status":2"#).origin.isSimulated)
  }
}
