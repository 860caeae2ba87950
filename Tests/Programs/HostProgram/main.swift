import CSQLite
import Glibc
import LocationService
import LocationEngine
import LocationHost
import LocationModel
import LocationProviders

// What tests need a process of its own for: one that can be killed, has no rights, or has no room.

func say(_ text: String) {
  let line = Array("\(text)\n".utf8)
  _ = write(STDOUT_FILENO, line, line.count)
}

func key(_ name: String) -> StateKey { StateKey(domain: "test", owner: "", name: name) }

/// Commits one step after the other, both halves of each, and says each that is done.
func commitSteps(to path: String) throws {
  let store = try StateStore(path: path)
  for step in 1... {
    let value = Array("\(step)".utf8)
    try store.commit([.set(key("first"), value), .set(key("second"), value)])
    say("\(step)")
  }
}

/// Commits until the disk is full, then once more when there is room again.
func fillDisk(_ path: String) throws {
  let store = try StateStore(path: path)
  signal(SIGXFSZ, SIG_IGN)
  var limit = rlimit(rlim_cur: 300_000, rlim_max: rlim_t.max)
  setrlimit(__rlimit_resource_t(1), &limit)
  let step: [StateChange] = [
    .set(key("first"), [1]), .set(key("big"), [UInt8](repeating: 7, count: 600_000)),
  ]
  do throws(StoreError) {
    try store.commit(step)
    say("committed")
  } catch {
    say("refused, \(try store.entries().count) entries")
  }
  limit.rlim_cur = rlim_t.max
  setrlimit(__rlimit_resource_t(1), &limit)
  try store.commit(step)
  say("stored, \(try store.entries().count) entries")
}

/// Begins to write or to read as another process does, says so, and never ends.
func hold(_ path: String, by words: String) throws {
  var database: OpaquePointer?
  guard sqlite3_open(path, &database) == SQLITE_OK,
    sqlite3_busy_timeout(database, 10_000) == SQLITE_OK,
    sqlite3_exec(database, words, nil, nil, nil) == SQLITE_OK
  else { return say("error: cannot lock") }
  say("locked")
  while true { pause() }
}

/// Opens a store, and dies before an operation on its files.
func openStore(_ path: String, dyingBefore operation: Int) throws {
  StoreOperations.begin(dyingBefore: operation)
  say("opened, \(try StateStore(path: path).entries().count) entries")
}

/// Seals a state with new keys, whose master lies in a place, and dies before an operation on its files.
func sealAgain(_ path: String, in place: KeyPlace?, dyingBefore operation: Int) throws {
  let store = try StateStore(path: path, secrets: HostEnvironment.current.secrets)
  StoreOperations.begin(dyingBefore: operation)
  say("sealed, \(try store.rekey(in: place)) lost")
}

/// Erases an app, or all for an empty name, and dies before an operation on its files.
func erase(_ app: String, _ path: String, dyingBefore operation: Int) throws {
  let store = try StateStore(path: path)
  StoreOperations.begin(dyingBefore: operation)
  say("erased, \(try store.erase(app.isEmpty ? nil : app)) entries")
}

/// Opens a state as the engine of an app does, says what it found, and never ends.
func keep(_ path: String) {
  let keeper = StateKeeper(
    folder: StateFolder(path: path), secrets: HostEnvironment.current.secrets
  ) { say("\($0.message ?? "")") }
  say("keeping, \(keeper.obstacle.map { "\($0)" } ?? "no obstacle")")
  withExtendedLifetime(keeper) { while true { pause() } }
}

/// Opens a state, stores for an app that is new, seals everything again, and never ends.
func holdKeys(_ path: String) throws {
  let store = try StateStore(path: path, secrets: HostEnvironment.current.secrets)
  try store.commit([.set(StateKey(domain: "test", owner: "an.app"), [1])])
  _ = try store.rekey()
  try store.commit([.set(StateKey(domain: "test", owner: "another.app"), [1])])
  say("holding, \(try store.entries().count) entries")
  withExtendedLifetime(store) { while true { pause() } }
}

/// Uses the state as an app with an engine of its own, and prints its deliveries.
func share(_ path: String) throws {
  try StateFolder(path: path).create()
  let keeper = StateKeeper(folder: StateFolder(path: path), owner: AppIdentity("an.app")) {
    say("\($0.message ?? "")")
  }
  say("sharing, \(keeper.entries.count) entries")
  withExtendedLifetime(keeper) { while true { pause() } }
}

/// Answers for a person, as `locationctl authorize` does.
func grant(_ grant: String, to app: String, in path: String) throws {
  let folder = StateFolder(path: path)
  try folder.create()
  let app = AppIdentity(app)
  var record = AuthorizationRecord(manifest: Manifest())
  record.grant = AuthorizationRecord.Grant(rawValue: grant) ?? .undecided
  try StateStore(path: folder.file).commit([record.change(for: app)])
  try folder.ringBell()
  say("granted")
}

/// Says what kinds of data are stored.
func domains(in path: String) throws {
  let entries = try StateStore(path: StateFolder(path: path).file).entries()
  say("domains \(Set(entries.map(\.key.domain)).sorted().joined(separator: " "))")
}

/// Opens a source with nobody's rights, and says what it says.
func probe(_ url: String) throws {
  setgid(65_534)
  setuid(65_534)
  let host = LocationHost(sources: [try Source(url: url)])
  let app = AppIdentity("net.meridian.probe")
  let (id, _) = host.connect(ClientDescription(app: app, manifest: Manifest())) { delivery in
    guard case .updates(_, .failed(.positionUnknown)) = delivery else { return }
    Task { for report in host.sourceReports() { say("\(report.status)") } }
  }
  host.pass(.setting(.authorization(app, .whileUsing)))
  host.send(.updates(SubscriberID(1), .start(UpdateOptions())), from: id)
  while true { pause() }
}

/// Runs a journey from a fix on, and dies before an operation of the store.
func travel(_ path: String, from fix: Int, dyingBefore operation: Int) throws {
  let folder = StateFolder(path: path + "/state")
  try folder.create()
  StoreOperations.begin(dyingBefore: operation)
  var journey = Journey(in: folder)
  journey.run(from: fix)
}

/// Records an app that asks for updates; from the third fix on files may have so many bytes. The keys of
/// an encrypted recording lie beside the state `FILE-state`.
func record(_ url: String, to file: String, limit: UInt?) throws {
  signal(SIGXFSZ, SIG_IGN)
  guard var target = RecordingTarget(text: file) else { return }
  if case .state = target.protection {
    let state = StateFolder(path: file + "-state")
    try state.create()
    target.protection = .keys(try StateStore(path: state.file).recordingsKeys())
  }
  let host = LocationHost(sources: [try Source(url: url)], recordingTo: target) { note in
    if case .store(let text) = note { say("note: \(text)") }
  }
  let app = AppIdentity("net.meridian.recorded")
  let (fixes, received) = AsyncStream.makeStream(of: Fix.self)
  let (id, _) = host.connect(ClientDescription(app: app, manifest: Manifest())) { delivery in
    if case .updates(_, .fixes(let new)) = delivery { for fix in new { received.yield(fix) } }
  }
  host.pass(.setting(.authorization(app, .whileUsing)))
  host.send(.updates(SubscriberID(1), .start(UpdateOptions())), from: id)
  Task {
    var count = 0
    for await _ in fixes {
      count += 1
      say("fix \(count)")
      guard count == 3, let limit else { continue }
      var room = rlimit(rlim_cur: limit, rlim_max: rlim_t.max)
      setrlimit(__rlimit_resource_t(1), &room)
    }
  }
  while true { pause() }
}

do {
  let words = CommandLine.arguments.dropFirst()
  switch Array(words) {
  case let words where words.first == "steps": try commitSteps(to: words[1])
  case let words where words.first == "fill": try fillDisk(words[1])
  case let words where words.first == "lock": try hold(words[1], by: "BEGIN IMMEDIATE")
  case let words where words.first == "read":
    try hold(words[1], by: "BEGIN; SELECT * FROM state")
  case let words where words.first == "open":
    try openStore(words[1], dyingBefore: Int(words[2]) ?? .max)
  case let words where words.first == "rekey":
    let place = words.count > 3 ? KeyPlace(rawValue: words[3]) : nil
    try sealAgain(words[1], in: place, dyingBefore: Int(words[2]) ?? .max)
  case let words where words.first == "erase":
    try erase(words[1], words[2], dyingBefore: Int(words[3]) ?? .max)
  case let words where words.first == "hold": try holdKeys(words[1])
  case let words where words.first == "keep": keep(words[1])
  case let words where words.first == "share": try share(words[1])
  case let words where words.first == "grant": try grant(words[1], to: words[2], in: words[3])
  case let words where words.first == "domains": try domains(in: words[1])
  case let words where words.first == "probe": try probe(words[1])
  case let words where words.first == "journey":
    try travel(words[1], from: Int(words[2]) ?? 0, dyingBefore: Int(words[3]) ?? .max)
  case let words where words.first == "record":
    try record(words[1], to: words[2], limit: words.count > 3 ? UInt(words[3]) : nil)
  default:
    say(
      "steps FILE | fill FILE | lock FILE | read FILE | open FILE OPERATION "
        + "| rekey FILE OPERATION [PLACE] | erase APP FILE OPERATION | keep FOLDER | hold FILE | share FOLDER "
        + "| grant LEVEL APP FOLDER | domains FOLDER | probe URL | journey FOLDER FIX OPERATION "
        + "| record URL FILE [LIMIT]")
  }
} catch {
  say("error: \(error)")
}
