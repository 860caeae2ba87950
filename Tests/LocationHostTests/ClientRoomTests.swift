import LocationDaemon
import LocationHost
import LocationLink
import LocationModel
import Testing

@Suite("The room for clients")
struct ClientRoomTests {
  private func payer(_ program: UInt64, of user: UInt32 = 1000) -> Payer {
    Payer(user: user, program: Payer.Program(device: 1, inode: program))
  }

  private func room(clients: Int, perUser: Int, perApp: Int) -> ClientRoom {
    var limits = ClientRoom.Limits()
    (limits.clients, limits.clientsPerUser, limits.clientsPerApp) = (clients, perUser, perApp)
    (limits.subscribersPerApp, limits.subscribersPerUser, limits.kept) = (10, 15, 2)
    return ClientRoom(limits)
  }

  @Test("border 12: a client that has hung up keeps its place for ten seconds at most")
  func hangUp() {
    func looks(_ looks: [(seconds: Double, hasHungUp: Bool, isRead: Bool)]) -> [Bool] {
      var hangUp = HangUp()
      return looks.map {
        hangUp.isOver(
          hasHungUp: $0.hasHungUp, isRead: $0.isRead, at: Instant.start + .seconds($0.seconds))
      }
    }
    let unread = looks([
      (0, false, false), (100, true, false), (105, true, false), (109.9, true, false),
      (110, true, false),
    ])
    #expect(unread == [false, false, false, false, true])
    // What it has sent is read: nothing is left to wait for.
    #expect(looks([(0, true, true)]) == [true])
    #expect(looks([(0, true, false), (1, true, true)]) == [false, true])
  }

  @Test("border 12: no more are let in than the process has descriptors for")
  func descriptors() {
    var limits = ClientRoom.Limits()
    limits.fit(8092)
    #expect(limits == ClientRoom.Limits())
    limits.fit(412)
    #expect([limits.clients, limits.clientsPerUser, limits.clientsPerApp] == [348, 261, 87])
  }

  @Test("border 13: a program that has all it may leaves room for its user's others")
  func perApp() {
    var room = room(clients: 100, perUser: 50, perApp: 5)
    for _ in 0..<5 { room.enter(payer(1)) }
    #expect(room.refusal(of: payer(1), isOwner: false) == "this program has 5 clients already")
    #expect(room.refusal(of: payer(2), isOwner: false) == nil)
    room.leave(payer(1), subscribers: 0)
    #expect(room.refusal(of: payer(1), isOwner: false) == nil)
  }

  @Test("border 13: behind a user's bound places are kept for programs without a client")
  func perUser() {
    var room = room(clients: 100, perUser: 6, perApp: 3)
    for program in [1, 1, 1, 2, 2, 2] as [UInt64] { room.enter(payer(program)) }
    #expect(room.refusal(of: payer(2), isOwner: false) == "user 1000 has 6 clients already")
    #expect(room.refusal(of: payer(3), isOwner: false) == nil)
    room.enter(payer(3))
    room.enter(payer(4))
    #expect(room.refusal(of: payer(5), isOwner: false) == "user 1000 has 6 clients already")
    #expect(room.refusal(of: payer(1, of: 1001), isOwner: false) == nil)
  }

  @Test("border 13: behind the bound of all places are kept for the owner and for other users")
  func all() {
    var room = room(clients: 4, perUser: 50, perApp: 50)
    for _ in 0..<4 { room.enter(payer(1)) }
    #expect(room.refusal(of: payer(2), isOwner: false) == "there are 4 clients already")
    #expect(room.refusal(of: payer(2), isOwner: true) == nil)
    #expect(room.refusal(of: payer(1, of: 1001), isOwner: false) == nil)
    // Newcomers take no place of the owner's.
    for user in 1001...1002 as ClosedRange<UInt32> { room.enter(payer(1, of: user)) }
    #expect(room.refusal(of: payer(1, of: 1003), isOwner: false) == "there are 4 clients already")
    #expect(room.refusal(of: payer(2, of: 0), isOwner: true) == nil)
  }

  @Test("border 12: what clients have not read is counted for each user, and for all")
  func unread() {
    var limits = ClientRoom.Limits()
    (limits.unreadPerUser, limits.unread) = (100, 150)
    var room = ClientRoom(limits)
    #expect(room.settle(payer(1), unread: 60) == nil)
    #expect(room.settle(payer(2), unread: 40) == nil)
    let own = ClientRoom.Excess.own("the clients of user 1000 have left 100 bytes unread")
    #expect(room.settle(payer(2), unread: 1) == own)
    #expect(room.settle(payer(2), unread: -1) == nil)
    #expect(room.settle(payer(1, of: 1001), unread: 50) == nil)
    let most = "150 bytes are unread by all clients, and user 1000 has left most"
    #expect(room.settle(payer(1, of: 1002), unread: 1) == .user(1000, most))
    #expect(room.settle(payer(1), unread: -60) == nil)
    #expect(room.settle(payer(2), unread: 1) == nil)
  }

  @Test("border 13: four users who leave all unread that they may are cut off before a fifth is")
  func fifthUser() {
    var limits = ClientRoom.Limits()
    (limits.unreadPerUser, limits.unread) = (100, 400)
    var room = ClientRoom(limits)
    for user in 1001...1004 as ClosedRange<UInt32> {
      #expect(room.settle(payer(1, of: user), unread: 100) == nil)
    }
    func gives(_ excess: ClientRoom.Excess?) -> UInt32? {
      if case .user(let user, _)? = excess { user } else { nil }
    }
    #expect(gives(room.settle(payer(1, of: 1005), unread: 10)) == 1001)
    #expect(gives(room.settle(payer(1, of: 0), unread: 10)) == 1001)
    #expect(room.settle(payer(1, of: 1001), unread: -40) == nil)
    #expect(room.settle(payer(1, of: 1005), unread: 10) == nil)
    #expect(gives(room.settle(payer(1, of: 1005), unread: 20)) == 1002)
    // Who has most is nobody else's concern.
    let own = ClientRoom.Excess.own("400 bytes are unread by all clients")
    #expect(room.settle(payer(1, of: 1002), unread: -10) == nil)
    #expect(room.settle(payer(1, of: 1003), unread: -1) == nil)
    #expect(room.settle(payer(1, of: 1004), unread: -1) == nil)
    #expect(room.settle(payer(1, of: 1002), unread: 10) == own)
  }

  @Test("border 12: managers, loops, and sessions are counted over all processes of a program")
  func subscribers() {
    var room = room(clients: 4, perUser: 50, perApp: 50)
    #expect(room.settle(payer(1), subscribers: 10) == nil)
    #expect(room.settle(payer(1), subscribers: 1)?.contains("more than 10") == true)
    room.leave(payer(1), subscribers: 11)
    #expect(room.settle(payer(1), subscribers: 10) == nil)
    let reason = room.settle(payer(2), subscribers: 6)
    #expect(reason?.hasPrefix("user 1000 has more than 15") == true)
    #expect(room.settle(payer(1, of: 1001), subscribers: 10) == nil)
  }
}

@Suite("The arrival of clients")
struct ArrivalsTests {
  private func payer(_ program: UInt64, of user: UInt32 = 1000) -> Payer {
    Payer(user: user, program: Payer.Program(device: 1, inode: program))
  }

  private func moment(_ seconds: Double) -> Moment {
    Moment(
      uptime: .start + .seconds(seconds), unixTime: UnixTime(seconds: 1_700_000_000 + seconds))
  }

  private func looks(_ outputs: [ArrivalCoordinator.Output]) -> [Int] {
    outputs.compactMap { if case .look(let number) = $0 { number } else { nil } }
  }

  @Test("border 11: whose files hang takes two places, and its user eight; others are looked at")
  func hung() {
    var coordinator = ArrivalCoordinator()
    var looked: [Int] = []
    for number in 0..<5 {
      looked += looks(coordinator.handle(.came(number, payer(1)), at: moment(0)))
    }
    #expect(looked == [0, 1])
    for number in 5..<30 {
      looked += looks(coordinator.handle(.came(number, payer(UInt64(number))), at: moment(0)))
    }
    #expect(looked.count == ArrivalCoordinator.perUser)
    #expect(looks(coordinator.handle(.came(30, payer(1, of: 1001)), at: moment(0))) == [30])
    #expect(looks(coordinator.handle(.known(1), at: moment(1))) == [2])
  }

  @Test(
    "border 11: who is not known in five seconds is turned away; a look that hangs keeps its place")
  func timeout() throws {
    var coordinator = ArrivalCoordinator()
    for number in 0..<3 { _ = coordinator.handle(.came(number, payer(1)), at: moment(0)) }
    #expect(coordinator.nextDeadline == .start + ArrivalCoordinator.timeout)
    let outputs = coordinator.handle(.wake, at: moment(5))
    let away = outputs.compactMap { if case .turnAway(let number, _) = $0 { number } else { nil } }
    #expect(away == [0, 1, 2])
    #expect(coordinator.isLookedAt(0) && !coordinator.isLookedAt(2))
    #expect(coordinator.nextDeadline == nil)
    #expect(looks(coordinator.handle(.came(3, payer(1)), at: moment(6))).isEmpty)
    #expect(looks(coordinator.handle(.known(0), at: moment(7))) == [3])
  }

  @Test("border 13: of a thousand connections a few are turned away at once, so that others go on")
  func thousand() {
    var coordinator = ArrivalCoordinator()
    for number in 0..<1000 { _ = coordinator.handle(.came(number, payer(1)), at: moment(0)) }
    for number in 1000..<1009 { _ = coordinator.handle(.came(number, payer(2)), at: moment(0)) }
    // A place of one program is for its own next, however many of the other came before.
    #expect(looks(coordinator.handle(.known(1001), at: moment(1))) == [1002])
    #expect(looks(coordinator.handle(.known(0), at: moment(1))) == [2])
    let first = coordinator.handle(.wake, at: moment(5))
    // Those that are looked at since the start, and those that wait.
    #expect(first.count == 2 + ArrivalCoordinator.turnedAwayAtOnce)
    #expect(coordinator.nextDeadline == .start + ArrivalCoordinator.timeout)
    var count = first.count
    while coordinator.nextDeadline == .start + ArrivalCoordinator.timeout {
      let outputs = coordinator.handle(.wake, at: moment(5))
      #expect(!outputs.isEmpty && outputs.count <= ArrivalCoordinator.turnedAwayAtOnce)
      count += outputs.count
    }
    // All but two that are known, and two that have been looked at for four seconds.
    #expect(count == 1009 - 4)
  }

  @Test("border 13: four users whose files hang keep out neither a fifth nor the owner")
  func fifthUser() {
    var coordinator = ArrivalCoordinator(owner: 990)
    var number = 0
    func come(_ user: UInt32, programs: Int) -> Int {
      (0..<programs).reduce(0) { sum, program in
        number += 1
        let came = ArrivalCoordinator.Input.came(number, payer(UInt64(program), of: user))
        return sum + looks(coordinator.handle(came, at: moment(0))).count
      }
    }
    for user in 1001...1004 as ClosedRange<UInt32> { #expect(come(user, programs: 20) == 8) }
    #expect(come(1005, programs: 3) == 1)
    for user in 1006...1012 as ClosedRange<UInt32> { #expect(come(user, programs: 1) == 1) }
    #expect(come(1013, programs: 1) == 0, "the places kept are eight")
    #expect(come(0, programs: 5) == 5)
    #expect(come(990, programs: 5) == 3)
  }

  @Test("border 11: however many users come, no more than 40 look at files at a time")
  func everybody() {
    var coordinator = ArrivalCoordinator()
    let looked = (0..<200).flatMap { number in
      looks(
        coordinator.handle(
          .came(number, payer(UInt64(number), of: UInt32(number + 1))), at: moment(0)))
    }
    #expect(looked.count == ArrivalCoordinator.atOnce + ArrivalCoordinator.kept)
  }
}

@Suite("The quota of log lines")
struct LogQuotaTests {
  private let start = Instant(nanoseconds: 1_000_000_000)

  private func written(_ quota: inout LogQuota, _ caller: LogCaller, _ lines: Int) -> Int {
    (0..<lines).count { _ in
      if case .write = quota.admit(caller, at: start) { true } else { false }
    }
  }

  @Test("border 12: a program has fifty lines at once, then ten a minute; the rest is counted")
  func program() {
    var quota = LogQuota()
    let caller = LogCaller(user: 1000, program: "/usr/bin/flood")
    #expect(written(&quota, caller, 1000) == 50)
    #expect(
      quota.admit(LogCaller(user: 1000, program: "/usr/bin/honest"), at: start)
        == .write(leftOut: 0))
    #expect(quota.admit(caller, at: start + .seconds(6)) == .write(leftOut: 950))
    #expect(quota.admit(caller, at: start + .seconds(6)) == .leaveOut(isFirst: true))
  }

  @Test("border 12: a user's programs have four hundred together, however many there are")
  func user() {
    var quota = LogQuota()
    let lines = (0..<1000).reduce(0) { sum, number in
      sum + written(&quota, LogCaller(user: 1000, program: "/tmp/\(number)"), 5)
    }
    #expect(lines == 400)
    #expect(written(&quota, LogCaller(user: 1000, program: "/tmp/new"), 5) == 0)
    #expect(written(&quota, LogCaller(user: 1001, program: "/usr/bin/honest"), 5) == 5)
  }

  @Test("border 12: 256 programs have accounts of their own; those beyond share one")
  func accounts() {
    var quota = LogQuota()
    for number in 0..<LogQuota.kept {
      let caller = LogCaller(user: UInt32(number), program: "/tmp/\(number)")
      #expect(written(&quota, caller, 1) == 1)
    }
    let shared = (0..<100).map { LogCaller(user: UInt32(9000 + $0), program: "/tmp/\($0)") }
    #expect(shared.reduce(0) { $0 + written(&quota, $1, 1) } == Int(LogQuota.perProgram.atOnce))
  }

  @Test("border 12: a line has at most 10,000 characters, however long a name is")
  func longText() {
    let journal = DaemonJournal([:])
    journal.write(.client, "connected: " + String(repeating: "x", count: 100_000))
    let message = journal.last(1) { _ in true }.first?.message
    #expect(message.map { $0.count <= DaemonJournal.longest + 1 && $0.count > 9_000 } == true)
  }

  @Test("border 12: a flood takes no room from what the daemon and other users have in the log")
  func ring() {
    let journal = DaemonJournal([:])
    for number in 0..<20 { journal.write(.service, "evidence \(number)") }
    journal.write(.client, "other", from: LogCaller(user: 7, program: "/usr/bin/other"))
    for number in 0..<1250 {
      journal.write(
        .client, "flood \(number)",
        from: LogCaller(user: UInt32(1000 + number % 5), program: "/tmp/\(number / 40)"))
    }
    let kept = journal.last(5000) { _ in true }
    #expect(kept.count == DaemonJournal.kept)
    #expect(kept.count { $0.message.hasPrefix("evidence") } == 20)
    #expect(kept.contains { $0.message == "other" })
  }
}
