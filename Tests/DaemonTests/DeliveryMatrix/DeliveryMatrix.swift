import Foundation
import LocationEngine
import Synchronization

/// Runs all stages, once for all tests.
actor DeliveryMatrix {
  static let shared = DeliveryMatrix()

  /// What a stage is about.
  private struct Plan: Sendable {
    var world: MatrixWorld
    var place: DeliveryPlace
    var honorsQuit = false
  }

  /// How long each stage took.
  private static let durations = StageDurations()

  private var run: Task<[MatrixCell: String], Never>?

  /// What went wrong in a cell; `nil` if nothing did.
  func fault(of cell: MatrixCell) async -> String? {
    let run = run ?? Task { await Self.runAll() }
    self.run = run
    return await run.value[cell]
  }

  private static func plans(of world: MatrixWorld) -> [Plan] {
    guard world != .beacon || MatrixStage.hasRadio else { return [] }
    return DeliveryPlace.allCases.map { Plan(world: world, place: $0) }
      + [Plan(world: world, place: .quit, honorsQuit: true)]
  }

  private static func runAll() async -> [MatrixCell: String] {
    MatrixReport.remove()
    let faults = await withTaskGroup(of: [MatrixCell: String].self) { group in
      // These wait for half a minute each.
      for plan in plans(of: .beacon) { group.addTask { await run(plan) } }
      group.addTask {
        var faults: [MatrixCell: String] = [:]
        for plan in plans(of: .silence) + plans(of: .journey) {
          faults.merge(await run(plan)) { "\($0); \($1)" }
        }
        return faults
      }
      return await group.reduce(into: [:]) { all, some in all.merge(some) { "\($0); \($1)" } }
    }
    try? MatrixReport(faults: faults, durations: durations.words).write()
    return faults
  }

  /// Runs one stage; a stage that cannot begin leaves none of its cells passed.
  private static func run(_ plan: Plan) async -> [MatrixCell: String] {
    var faults: [Int: String] = [:]
    let begin = ContinuousClock.now
    do {
      let stage = try await MatrixStage(plan.world, plan.place, honorsQuit: plan.honorsQuit)
      defer { stage.end() }
      faults = try await stage.run()
    } catch {
      for app in MatrixApp.apps(of: plan.world, in: plan.place) {
        faults[app.row] = "\(plan.world.rawValue): \(error)"
      }
    }
    durations.add("\(plan.world.rawValue) \(plan.place.rawValue)", ContinuousClock.now - begin)
    return Dictionary(
      uniqueKeysWithValues: faults.map { (MatrixCell(row: $0, place: plan.place), $1) })
  }
}

/// How long each stage took, in the order of their ends.
final class StageDurations: Sendable {
  private let all = Mutex<[String]>([])

  func add(_ stage: String, _ duration: Duration) {
    let seconds = duration.formatted(.units(allowed: [.seconds], width: .narrow))
    all.withLock { $0.append("\(stage) \(seconds)") }
  }

  var words: String { all.withLock { $0.joined(separator: ", ") } }
}

/// The table with the result of each cell, for the end of `make test`.
struct MatrixReport {
  var faults: [MatrixCell: String]
  /// How long the stages took.
  var durations: String

  private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
    .appending(path: "../../../.build/test-events").standardizedFileURL
  private static let file = folder.appending(path: "delivery-matrix.txt")

  /// Removes that of an earlier run.
  static func remove() { try? FileManager.default.removeItem(at: file) }

  func write() throws {
    try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
    try Data((lines.joined(separator: "\n") + "\n").utf8).write(to: Self.file)
  }

  /// One line for each row, what went wrong, and the sum.
  var lines: [String] {
    let rows = DeliveryTable.rows.indices.map { row in
      let cells = DeliveryPlace.allCases.map { place in
        let cell = MatrixCell(row: row, place: place)
        let result = cell.obstacle != nil ? "not run" : faults[cell] != nil ? "FAILED" : "passed"
        return "\(place.rawValue) \(cell.action.rawValue) \(result)"
      }
      return "\(MatrixCell.name(of: DeliveryTable.rows[row])): \(cells.joined(separator: ", "))"
    }
    let failures = MatrixCell.all.compactMap { cell in
      faults[cell].map { "\(cell.testDescription): \($0)" }
    }
    return rows + failures + [durations, sum]
  }

  private var sum: String {
    let all = MatrixCell.all
    let obstacles = all.compactMap(\.obstacle)
    let passed = all.count { $0.obstacle == nil && faults[$0] == nil }
    let reasons = Set(obstacles).sorted().map { reason in
      "\(obstacles.count { $0 == reason }): \(reason)"
    }
    return "\(passed) of \(all.count) cells of the delivery table passed, "
      + "\(obstacles.count) not run (\(reasons.joined(separator: "; ")))"
  }
}
