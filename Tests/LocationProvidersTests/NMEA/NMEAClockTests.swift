import LocationModel
import LocationProviders
import Testing

@Suite("The clock of an NMEA receiver")
struct NMEAClockTests {
  private func times(_ texts: String..., at now: Moment = noon) -> [Int64] {
    NMEAReceiver.fixes(texts.flatMap(sentence), at: now).map { $0.time.nanoseconds / 1_000_000_000 }
  }

  private func gll(_ time: String) -> String { "GPGLL,4807.0380,N,01131.3240,E,\(time),A,A" }

  private func rmc(_ time: String, _ date: String) -> String {
    "GPRMC,\(time),A,4807.0380,N,01131.3240,E,,,\(date),,,A"
  }

  @Test("goes over midnight with a sentence that has no date")
  func midnight() {
    #expect(
      times(rmc("235959", "311225"), gll("000000"), gll("000001"))
        == [1_767_225_599, 1_767_225_600, 1_767_225_601])
  }

  @Test("stays on the day of a sentence that comes a little late after midnight")
  func lateSentence() {
    #expect(
      times(rmc("000000", "010126"), gll("235959")) == [1_767_225_600, 1_767_225_599])
  }

  @Test("takes the host's nearest day while the receiver names none")
  func hostDay() {
    let late = Moment(uptime: .start, unixTime: UnixTime(seconds: 1_785_887_990))
    #expect(times(gll("235950"), at: late) == [1_785_887_990])
    #expect(times(gll("000005"), at: late) == [1_785_888_005])
  }

  @Test("knows the century where the clock of the computer was never set")
  func noClock() {
    let unset = Moment(uptime: .start, unixTime: UnixTime(seconds: 60))
    #expect(times(rmc("120000", "040826"), at: unset) == [1_785_844_800])
    #expect(times(rmc("120000", "230394"), at: unset) == [764_424_000])
  }

  @Test(
    "survives a clock of the computer at the ends of what nanoseconds represent",
    arguments: [Int64.min, .min + 1, -1, .max - 1, .max])
  func endOfTime(_ nanoseconds: Int64) {
    let now = Moment(uptime: .start, unixTime: UnixTime(nanoseconds: nanoseconds))
    #expect(NMEAReceiver.fixes(sentence(gll("235959")), at: now).count == 1)
    #expect(NMEAReceiver.fixes(sentence(gll("000000")), at: now).count == 1)
    #expect(NMEAReceiver.fixes(sentence(rmc("000000", "010126")), at: now).count == 1)
  }

  @Test("takes the day from ZDA")
  func zda() {
    #expect(times("GPZDA,120000,04,08,2019,00,00", gll("120001")) == [1_564_920_001])
  }

  @Test("takes the century that puts a two-digit year nearest to the host's")
  func century() {
    #expect(times(rmc("000000", "010180")) == [315_532_800])
    #expect(times(rmc("000000", "010175")) == [3_313_526_400])
    let next = Moment(uptime: .start, unixTime: UnixTime(seconds: 4_133_894_400))
    #expect(times(rmc("000000", "010101"), at: next) == [4_133_980_800])
    #expect(times(rmc("235959", "311299"), at: next) == [4_102_444_799])
  }

  @Test("a leap second is the first second of the next minute, as in Unix time")
  func leapSecond() {
    #expect(
      times(rmc("235959", "311216"), rmc("235960", "311216"), rmc("000000", "010117"))
        == [1_483_228_799, 1_483_228_800, 1_483_228_800])
  }

  @Test("keeps milliseconds exactly")
  func milliseconds() {
    let fixes = NMEAReceiver.fixes(sentences(rmc("120000.125", "040826"), gll("120000.999")))
    #expect(
      fixes.map(\.time.nanoseconds) == [1_785_844_800_125_000_000, 1_785_844_800_999_000_000])
  }

  @Test("knows leap years")
  func leapYears() {
    #expect(times(rmc("000000", "290224"), gll("000001")) == [1_709_164_800, 1_709_164_801])
    #expect(times(rmc("235959", "280200"), gll("000000")) == [951_782_399, 951_782_400])
    #expect(times(rmc("000000", "010300")) == [951_868_800])
  }

  @Test("a new date does not reach back to the epoch before it")
  func dateJump() {
    #expect(
      times(rmc("000000", "290224"), rmc("000001", "010300")) == [1_709_164_800, 951_868_801])
  }

  @Test("takes no date from a sentence without a position")
  func invalidDate() {
    let cold = "GPRMC,120000,V,,,,,,,060180,,,N"
    #expect(times(cold, gll("120001")) == [1_785_844_801])
  }
}
