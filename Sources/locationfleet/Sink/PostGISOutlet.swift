import CPostgres
import LocationFleet
import LocationModel

/// Inserts events into a table, a batch in one transaction.
struct PostGISOutlet: Outlet {
  private let words: String
  private let table: PostGISTable
  private var connection: OpaquePointer?
  private var waiting: [EventDelivery] = []

  init(_ settings: SinkConfiguration.PostGIS) {
    words = (settings.connection ?? "") + Self.defaults
    table = PostGISTable(settings.table)
  }

  mutating func send(_ delivery: EventDelivery, at now: Moment) { waiting.append(delivery) }

  mutating func turn(_ milliseconds: Int32, at now: Moment) -> [SettledDelivery] {
    let all = waiting
    waiting = []
    return all.map { ($0.number, insert($0.events)) }
  }

  private mutating func insert(_ events: [SinkEvent]) -> DeliveryOutcome {
    if connection == nil {
      var answer = cpg_answer()
      connection = cpg_open(words, Self.limit, &answer)
      guard connection != nil else { return .unreachable(Self.text(answer.message), after: nil) }
    }
    guard let connection else { return .unreachable("not connected", after: nil) }
    let array = (PostGISTable.array(events) + [0]).map { CChar(bitPattern: $0) }
    let answer = cpg_run(connection, table.insertion, array, Self.limit)
    guard answer.fault != 0 else { return .confirmed }
    let state = Self.text(answer.state)
    let outcome = PostGISTable.outcome(state: state, message: Self.text(answer.message))
    // After any other fault it connects again: what is wrong may be of this connection alone.
    if case .unreachable = outcome { close() }
    return outcome
  }

  mutating func close() {
    if let connection { cpg_close(connection) }
    connection = nil
  }

  /// The text of an array of C.
  private static func text<Characters>(_ characters: Characters) -> String {
    withUnsafeBytes(of: characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
  }

  private static let limit: Int32 = 10_000
  private static let defaults = " application_name=locationfleet client_encoding=UTF8"
}
