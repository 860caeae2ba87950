import LocationModel
import TestSupport
import Testing

@testable import LocationFleet

@Suite("The order in which events are handed on")
struct DeliveryQueueTests {
  private func queue(
    _ settings: DeliveryQueue.Settings = DeliveryQueue.Settings(), devices: Int, events: Int
  ) -> DeliveryQueue {
    let bench = SinkBench(devices: devices, events: events, partitions: 1)
    var queue = DeliveryQueue(settings, positions: [0])
    for message in bench.logs.messages(.events(0)) {
      if let event = SinkEvent(message, partition: 0) { queue.add(event, at: .start) }
    }
    return queue
  }

  private func time(_ seconds: Double) -> Instant { .start + .seconds(seconds) }

  @Test(
    "FLEET-41: a device whose event fails waits, others do not, and it is tried after 1, 2, and 4 seconds"
  )
  func failing() throws {
    var queue = queue(devices: 2, events: 5)
    var tried: [Double] = []
    var others = 0
    for step in 0..<400 {
      let now = time(Double(step) * 0.05)
      for delivery in queue.deliveries(at: now) {
        let event = try #require(delivery.events.first)
        if event.device.device == "truck-0" {
          tried.append(Double(step) * 0.05)
          #expect(event.place.sequence == 1)
          queue.settle(delivery.number, .failed("status 500", after: nil), at: now)
        } else {
          others += 1
          queue.settle(delivery.number, .confirmed, at: now)
        }
      }
    }
    #expect(others == 5)
    let pauses = zip(tried.dropFirst(), tried).map { $0.0 - $0.1 }
    #expect(pauses.count >= 3)
    for (pause, whole) in zip(pauses, [1.0, 2, 4, 8]) {
      #expect((whole...(whole * 1.25 + 0.06)).contains(pause))
    }
    #expect(queue.positions == [0])
  }

  @Test("FLEET-41: nothing is handed on before Retry-After, which counts for an hour at most")
  func retryAfter() throws {
    var queue = queue(devices: 1, events: 1)
    var delivery = try #require(queue.deliveries(at: .start).first)
    queue.settle(delivery.number, .failed("status 500", after: .seconds(90)), at: .start)
    #expect(queue.deliveries(at: time(89.9)).isEmpty)
    #expect(queue.nextDeadline == time(90))
    delivery = try #require(queue.deliveries(at: time(90)).first)
    queue.settle(delivery.number, .unreachable("status 503", after: .seconds(1e9)), at: time(90))
    #expect(queue.deliveries(at: time(3689)).isEmpty)
    #expect(queue.deliveries(at: time(3690)).count == 1)
  }

  @Test("FLEET-42: an event that fails while others are taken is given up after a time")
  func givenUp() {
    var settings = DeliveryQueue.Settings()
    settings.giveUp = .seconds(60)
    var queue = queue(settings, devices: 2, events: 2)
    var asides: [SetAside] = []
    for step in 0..<200 {
      let now = time(Double(step))
      for delivery in queue.deliveries(at: now) {
        let isBad = delivery.events.first?.place.sequence == 1
        // Others are taken only once the first failure is there.
        queue.settle(
          delivery.number, isBad ? .failed("status 500", after: nil) : .confirmed, at: now)
      }
      asides += queue.takeAsides()
    }
    #expect(asides.map(\.event.place.sequence) == [1])
    #expect(asides.first.map { $0.attempts >= 5 } == true)
    #expect(queue.positions == [0])
    queue.keptAside(EventPlace(partition: 0, sequence: 1))
    #expect(queue.positions == [4] && queue.isEmpty)
  }

  @Test(
    "FLEET-42: an event that nothing more fits behind is given up after five attempts, others taken"
  )
  func inTheWay() {
    var settings = DeliveryQueue.Settings()
    settings.window = 6
    var queue = queue(settings, devices: 2, events: 3)
    #expect(queue.room(0) == 0)
    var asides: [SetAside] = []
    for step in 0..<100 where asides.isEmpty {
      let now = time(Double(step))
      for delivery in queue.deliveries(at: now) {
        let isBad = delivery.events.first?.place.sequence == 1
        queue.settle(
          delivery.number, isBad ? .failed("status 500", after: nil) : .confirmed, at: now)
      }
      asides += queue.takeAsides()
    }
    #expect(asides.map(\.attempts) == [5])
  }

  @Test("FLEET-43: while nothing at all is taken no event is given up")
  func nothingTaken() {
    var settings = DeliveryQueue.Settings()
    settings.giveUp = .seconds(60)
    var queue = queue(settings, devices: 3, events: 2)
    for step in 0..<2000 {
      let now = time(Double(step))
      for delivery in queue.deliveries(at: now) {
        queue.settle(delivery.number, .failed("status 500", after: nil), at: now)
      }
      #expect(queue.takeAsides().isEmpty)
    }
    #expect(queue.count == 6)
  }

  @Test(
    "FLEET-43: an event at which the other side always seems to be away stops its device alone, and is given up",
    arguments: [1, 4])
  func poison(devices: Int) {
    var settings = DeliveryQueue.Settings()
    (settings.parallel, settings.giveUp) = (2, .seconds(60))
    var queue = queue(settings, devices: devices + 1, events: 3)
    var (asides, done): ([SetAside], [UInt64]) = ([], [])
    var allOthers: Double?
    for step in 0..<4000 {
      let now = time(Double(step) * 0.25)
      for delivery in queue.deliveries(at: now) {
        let sequence = delivery.events.first?.place.sequence ?? 0
        let isBad = sequence == 1
        if !isBad { done.append(sequence) }
        queue.settle(
          delivery.number, isBad ? .unreachable("no answer", after: nil) : .confirmed, at: now)
      }
      if done.count == devices * 3, allOthers == nil { allOthers = Double(step) * 0.25 }
      asides += queue.takeAsides()
    }
    #expect(allOthers.map { $0 < 30 } == true)
    #expect(asides.map(\.event.place.sequence) == [1])
    #expect(asides.first.map { $0.attempts >= 5 } == true)
    #expect(done.count == devices * 3 + 2)
  }

  @Test("FLEET-142: of an other side that has room for one event now and then none is given up")
  func full() {
    var settings = DeliveryQueue.Settings()
    settings.giveUp = .seconds(1)
    var queue = queue(settings, devices: 4, events: 10)
    var taken: [FleetDeviceName: [EventPlace]] = [:]
    for step in 0..<1000 {
      for (index, delivery) in queue.deliveries(at: time(Double(step))).enumerated() {
        let outcome = index == 0 ? DeliveryOutcome.confirmed : .full("maximum bytes exceeded")
        if index == 0, let event = delivery.events.first {
          taken[event.device, default: []].append(event.place)
        }
        queue.settle(delivery.number, outcome, at: time(Double(step)))
      }
    }
    #expect(queue.takeAsides().isEmpty && queue.isEmpty && queue.positions == [40])
    #expect(taken.count == 4 && taken.values.allSatisfy { $0.count == 10 && $0 == $0.sorted() })
  }

  @Test("FLEET-41: an event that nothing more fits behind comes again within 30 seconds")
  func hastened() throws {
    var settings = DeliveryQueue.Settings()
    settings.window = 6
    var queue = queue(settings, devices: 2, events: 3)
    let delivery = try #require(queue.deliveries(at: .start).first)
    queue.settle(delivery.number, .failed("status 500", after: .seconds(3600)), at: .start)
    _ = queue.deliveries(at: time(1))
    #expect(queue.deliveries(at: time(29)).isEmpty)
    #expect(queue.deliveries(at: time(31)).count == 1)
  }

  @Test(
    "FLEET-46: a fault of the database that may be of one event is sought in the batch, without its text"
  )
  func sought() {
    for state in ["P0001", "XX000", "54000"] {
      #expect(
        PostGISTable.outcome(state: state, message: "truck at 46.5")
          == .failed("SQLSTATE \(state)", after: nil))
    }
    let missing = PostGISTable.outcome(state: "42P01", message: "no table")
    let step = "no table; next: locationfleet sink postgis --schema | psql"
    #expect(missing == .unreachable(step, after: nil))
    #expect(PostGISTable.outcome(state: "22P05", message: "x") == .refused("SQLSTATE 22P05"))
    for state in ["", "08006", "28P01", "42501", "53300", "57P01"] {
      #expect(PostGISTable.outcome(state: state, message: "x") == .unreachable("x", after: nil))
    }
    var settings = DeliveryQueue.Settings()
    (settings.batch, settings.parallel) = (100, 1)
    var queue = queue(settings, devices: 3, events: 4)
    var sizes: [Int] = []
    for step in 0..<40 {
      for delivery in queue.deliveries(at: time(Double(step) * 0.1)) {
        sizes.append(delivery.events.count)
        let isBad = delivery.events.contains { $0.place.sequence == 5 }
        queue.settle(
          delivery.number, isBad ? .failed("SQLSTATE P0001", after: nil) : .confirmed,
          at: time(Double(step) * 0.1))
      }
    }
    #expect(sizes.first == 12 && sizes.dropFirst().allSatisfy { $0 == 1 })
    #expect(queue.count == 3, "it, and what its device has behind it")
  }

  @Test("FLEET-46: of a batch that is refused each event is handed on alone, and one is refused")
  func batch() {
    var settings = DeliveryQueue.Settings()
    (settings.batch, settings.parallel) = (100, 1)
    var queue = queue(settings, devices: 3, events: 4)
    var sizes: [Int] = []
    var asides: [SetAside] = []
    while let delivery = queue.deliveries(at: .start).first {
      sizes.append(delivery.events.count)
      let isBad = delivery.events.contains { $0.place.sequence == 5 }
      queue.settle(delivery.number, isBad ? .refused("SQLSTATE 22P05") : .confirmed, at: .start)
      asides += queue.takeAsides()
    }
    #expect(sizes == [12] + Array(repeating: 1, count: 12))
    #expect(asides.map(\.event.place.sequence) == [5])
    #expect(queue.positions == [4])
  }

  @Test(
    "FLEET-40: whatever comes of deliveries, the events of a device are handed on in order, and all end",
    arguments: 1...40 as ClosedRange<UInt64>)
  func anyOutcome(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var settings = DeliveryQueue.Settings()
    settings.batch = .random(in: 1...5, using: &random)
    settings.parallel = .random(in: 1...6, using: &random)
    var queue = queue(settings, devices: 5, events: 8)
    var done: [FleetDeviceName: [UInt64]] = [:]
    var flights: [EventDelivery] = []
    var now: Instant = .start
    for _ in 0..<200_000 where !queue.isEmpty {
      flights += queue.deliveries(at: now)
      now = now + .milliseconds(100)
      guard let index = flights.indices.randomElement(using: &random) else { continue }
      let flight = flights.remove(at: index)
      switch Int.random(in: 0..<10, using: &random) {
      case 0: queue.settle(flight.number, .unreachable("x", after: nil), at: now)
      case 1: queue.settle(flight.number, .failed("x", after: nil), at: now)
      case 2:
        queue.settle(flight.number, .refused("x"), at: now)
        for aside in queue.takeAsides() {
          done[aside.event.device, default: []].append(aside.event.place.sequence)
          queue.keptAside(aside.event.place)
        }
      default:
        queue.settle(flight.number, .confirmed, at: now)
        for event in flight.events { done[event.device, default: []].append(event.place.sequence) }
      }
    }
    #expect(queue.isEmpty && queue.positions == [40])
    #expect(done.values.allSatisfy { $0.count == 8 && $0 == $0.sorted() })
  }
}
