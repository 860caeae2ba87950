import TestSupport

/// The recorded phones against their truth: one half of the runs, the other, and both.
struct PhoneTable {
  private var chosen = PhoneReport()
  private var heldBack = PhoneReport()
  private var all = PhoneReport()

  init(_ days: [PhoneDay]) {
    for day in days {
      let report = PhoneReport(day)
      all.add(report)
      if day.isHeldBack { heldBack.add(report) } else { chosen.add(report) }
    }
  }

  var text: String {
    let head = """
      | | runs 0, 4, 8 | runs 2, 6, 10 | all |
      |---|---|---|---|
      """
    let rows: [(String, (PhoneReport) -> String)] = [
      ("visit arrivals delivered after the trip's end", { PhoneReport.summary($0.arrivals) }),
      ("visit arrivals missed", { "\($0.missedArrivals)" }),
      ("visit arrivals inside a trip", { "\($0.arrivalsInTrips)" }),
      ("visit departures delivered after the trip's start", { PhoneReport.summary($0.departures) }),
      ("visit departures missed", { "\($0.missedDepartures)" }),
      ("visit departures delivered while staying", { "\($0.falseDepartures)" }),
      ("the path itself is beyond 30 m for good", { PhoneReport.summary($0.pathDepartures) }),
      ("exits from 100 m delivered after the trip's start", { PhoneReport.summary($0.exits) }),
      ("exits missed", { "\($0.missedExits)" }),
      ("the path itself is beyond 100 m for good", { PhoneReport.summary($0.pathExits) }),
      ("false exits while staying", { "\($0.falseExits)" }),
      ("hours of staying", { "\(Int($0.stationaryHours.rounded()))" }),
    ]
    let lines = rows.map { "| \($0.0) | \($0.1(chosen)) | \($0.1(heldBack)) | \($0.1(all)) |" }
    return ([head] + lines).joined(separator: "\n")
  }
}
