import LocationFleet
import LocationFleetNATS

/// Prints the streams of a fleet, also those of further partitions than the configuration says.
struct StreamTask {
  private let configuration: FleetConfiguration

  init(_ configuration: FleetConfiguration) { self.configuration = configuration }

  /// - Throws: a fault with the first cause where streams have not answered.
  func run() throws(FleetFault) {
    var broker = try FleetTasks.connect(configuration, name: "locationfleet")
    let partitions = configuration.worker.partitions
    let most = FleetConfiguration.mostPartitions
    let all = NATSBroker.logs(partitions: most)
    let shared = all.count - 3 * most
    var table = StreamTable()
    table.take(broker.look(at: Array(all[..<shared])), partitions: partitions)
    for first in stride(from: 0, to: most, by: Self.together) {
      let logs = all[(shared + 3 * first)..<(shared + 3 * (first + Self.together))]
      let count = table.take(broker.look(at: Array(logs)), partitions: partitions)
      // Partitions are numbered without gaps. Who is silent is silent of the next ones, too.
      guard first + Self.together < partitions || (count > 0 && table.silent.isEmpty) else { break }
    }
    for line in table.lines { try Printout.line(line) }
    guard let cause = table.silent.first else { return }
    throw FleetFault(
      reason:
        "\(table.silent.count) streams have not answered; \(cause); next: locationfleet doctor",
      status: 1)
  }

  /// Partitions whose streams are asked for at once.
  private static let together = 64
}
