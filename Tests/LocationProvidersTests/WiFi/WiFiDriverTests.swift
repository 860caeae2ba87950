import LocationModel
import LocationProviders
import TestSupport
import Testing

@Suite("The source wifi:")
struct WiFiDriverTests {
  @Test("RADIO-1, RADIO-2: what is known is read at once, and a scan is asked for when it is old")
  func day() {
    var computer = WiFiComputer()
    computer.want(every: 30)
    computer.run(seconds: 36)
    computer.want(nil)
    #expect(
      computer.bench.transcript == """
        00:00:00  open netlink []
        00:00:00  searching
        00:00:00  close kernel
        00:00:00  open netlink [6, 7]
        00:00:00  scan of 3
        00:00:00  working
        00:00:30  open systemBus
        00:00:30  DBus NameHasOwner
        00:00:30  DBus NameHasOwner
        00:00:30  DBus NameHasOwner
        00:00:30  NetworkManager GetDevices
        00:00:30  NetworkManager GetAll
        00:00:30  NetworkManager GetAll
        00:00:30  NetworkManager RequestScan
        00:00:34  scan of 3
        00:00:36  close kernel
        00:00:36  close
        00:00:36  idle
        """)
  }

  @Test("RADIO-2: nothing is open, and nothing wakes the computer, while nobody asks")
  func idle() {
    var computer = WiFiComputer()
    #expect(computer.driver.nextDeadline == nil)
    computer.want()
    computer.run(seconds: 100)
    computer.want(nil)
    #expect(computer.driver.nextDeadline == nil)
    let before = computer.bench.outputs.count
    computer.run(seconds: 86_400)
    #expect(computer.bench.outputs.count == before)
  }

  @Test("RADIO-2: scans of other programs are used, and none is asked for while they are new")
  func passive() {
    var computer = WiFiComputer()
    computer.want(every: 20)
    for _ in 0..<10 {
      computer.run(seconds: 15)
      computer.scanned()
    }
    #expect(computer.scans.count == 11)
    #expect(computer.requests.isEmpty)
    #expect(computer.count { $0 == .open(.systemBus) } == 0)
  }

  @Test("RADIO-2: no request names a network, so that no probe is directed at one")
  func undirected() {
    for control in WiFiControl.allCases {
      var computer = WiFiComputer(points: 0)
      computer.running = [control]
      computer.want()
      let calls = computer.bench.outputs.compactMap { entry -> BusCall? in
        guard case .bus(.call(_, let call)) = entry.output, call.member.hasSuffix("Scan") else {
          return nil
        }
        return call
      }
      #expect(calls.count == 1)
      let options: [[BusValue]] = [
        [.properties([:])], [], [.properties(["Type": .string("passive")])],
      ]
      #expect(calls.first?.arguments == options[control.rawValue])
    }
  }

  @Test("RADIO-5: scans are 10 seconds apart in new surroundings, and a minute in the same")
  func spacing() {
    var moving = WiFiComputer()
    moving.want()
    for step in 0..<30 {
      moving.kernel.adapters[0].accessPoints = (0..<5).map {
        AccessPoint("street", last: UInt8(step * 5 + $0), heardAt: nil)
      }
      moving.run(seconds: 20)
    }
    let gaps = zip(moving.requests.dropFirst(), moving.requests).map { $0 - $1 }
    #expect(gaps.allSatisfy { $0 >= 10 && $0 <= 30 }, "\(gaps)")

    var resting = WiFiComputer()
    resting.want()
    resting.run(seconds: 600)
    let waits = zip(resting.requests.dropFirst(3), resting.requests.dropFirst(2)).map { $0 - $1 }
    #expect(waits.allSatisfy { $0 >= 60 }, "\(resting.requests)")
    #expect(resting.requests.count <= 12)
  }

  @Test("RADIO-5: where nothing is heard, scans are 30 seconds apart")
  func desert() {
    var computer = WiFiComputer(points: 0)
    computer.want()
    computer.run(seconds: 95)
    #expect(computer.requests == [0, 30, 60, 90])
  }

  @Test("RADIO-7: a program that refuses is asked again in a minute, also while others scan")
  func refusedAgain() {
    var computer = WiFiComputer()
    computer.refusal = "org.freedesktop.DBus.Error.AccessDenied"
    computer.want()
    for _ in 0..<10 {
      computer.run(seconds: 12)
      computer.scanned()
    }
    #expect(computer.requests.count <= 3, "\(computer.requests)")
    #expect(computer.driver.evidence.adapters.first?.obstacle == .refused(.networkManager))
  }

  @Test("RADIO-5: a program that cannot scan now is asked again in ten seconds")
  func busy() {
    var computer = WiFiComputer(points: 0)
    computer.refusal = "org.freedesktop.NetworkManager.Device.NotAllowed"
    computer.want()
    computer.run(seconds: 25)
    #expect(computer.requests == [0, 10, 20])
    #expect(computer.status == .searching)
    computer.refusal = nil
    computer.run(seconds: 10)
    #expect(computer.requests == [0, 10, 20, 30])
  }

  @Test("RADIO-5: results that do not come are awaited for 12 seconds, and no longer")
  func silence() {
    var computer = WiFiComputer(points: 0)
    computer.scanTime = nil
    computer.want()
    computer.run(seconds: 30)
    #expect(computer.requests == [0, 12, 24])
  }

  @Test("RADIO-6: NetworkManager is asked before iwd, and iwd before wpa_supplicant")
  func order() {
    for (controls, expected) in [
      (Set(WiFiControl.allCases), "NetworkManager"), ([.iwd, .supplicant], "iwd"),
      ([.supplicant], "wpa_supplicant1"),
    ] {
      var computer = WiFiComputer(points: 0)
      computer.running = controls
      computer.want()
      let last = computer.bench.transcript.split(separator: "\n").last.map(String.init)
      #expect(last?.contains("\(expected) ") == true, "\(last ?? "")")
    }
  }

  @Test("RADIO-6: an adapter that NetworkManager does not manage is scanned by wpa_supplicant")
  func unmanaged() {
    var computer = WiFiComputer(points: 0)
    computer.running = [.networkManager, .supplicant]
    computer.state = 10
    computer.want()
    #expect(computer.bench.transcript.hasSuffix("wpa_supplicant1 Scan"))
  }

  @Test("RADIO-6: a program that starts is asked at once, and one that ends is not asked any more")
  func owners() {
    var computer = WiFiComputer(points: 0)
    computer.running = []
    computer.want()
    #expect(computer.status == .unavailable(.missing("\(ScanObstacle.nobody)")))
    computer.run(seconds: 3600)
    #expect(computer.requests.isEmpty)
    computer.set(.supplicant, isRunning: true)
    #expect(computer.requests == [3600])
    computer.set(.supplicant, isRunning: false)
    computer.set(.networkManager, isRunning: true)
    computer.run(seconds: 30)
    #expect(computer.bench.transcript.contains("NetworkManager RequestScan"))
  }

  @Test("RADIO-7: says why nothing is heard")
  func reasons() {
    var computer = WiFiComputer(KernelWiFi([]))
    computer.want()
    let lack = "there is no Wi-Fi adapter, or none in the network namespace of this process"
    #expect(computer.status == .unavailable(.missing(lack)))

    computer = WiFiComputer(KernelWiFi([]))
    computer.kernel.hasFamily = false
    computer.want()
    #expect(computer.status == .unavailable(.missing("the kernel has no Wi-Fi (nl80211)")))

    computer = WiFiComputer(points: 0)
    computer.state = 20
    computer.isEnabled = false
    computer.want()
    #expect(computer.status == .unavailable(.missing("Wi-Fi is switched off")))
    #expect(computer.driver.evidence.adapters.first?.obstacle == .switchedOff(bySwitch: false))

    computer = WiFiComputer(points: 0)
    computer.state = 20
    computer.isUnlocked = false
    computer.want()
    #expect(
      computer.driver.evidence.adapters.first?.obstacle == .switchedOff(bySwitch: true))

    computer = WiFiComputer(points: 0)
    computer.refusal = "org.freedesktop.NetworkManager.PermissionDenied"
    computer.want()
    let refusal = "NetworkManager does not permit this user to scan"
    #expect(computer.status == .unavailable(.noPermission(refusal)))

    computer = WiFiComputer(points: 0)
    computer.hasBus = false
    computer.want()
    #expect(computer.driver.evidence.adapters.first?.obstacle == .noBus)
  }

  @Test("RADIO-7: without permission to ask, the scans of others are used all the same")
  func refused() {
    var computer = WiFiComputer()
    computer.refusal = "org.freedesktop.DBus.Error.AccessDenied"
    computer.want()
    computer.run(seconds: 100)
    computer.scanned()
    #expect(computer.status == .working)
    #expect(computer.scans.count == 2)
  }

  @Test("RADIO-7: Wi-Fi that is switched off later is noticed with the next request")
  func switchedOff() {
    var computer = WiFiComputer()
    computer.want()
    #expect(computer.status == .working)
    computer.state = 20
    computer.isEnabled = false
    computer.kernel.adapters[0].accessPoints = []
    computer.run(seconds: 60)
    #expect(computer.status == .unavailable(.missing("Wi-Fi is switched off")))
    computer.state = 30
    computer.kernel.adapters[0].accessPoints = [AccessPoint("cafe", last: 1)]
    computer.run(seconds: 70)
    #expect(computer.status == .working)
  }

  @Test("RADIO-7: an adapter that comes is used, and one that goes is missed")
  func plug() {
    var computer = WiFiComputer()
    let adapter = computer.kernel.adapters.removeFirst()
    computer.want()
    computer.kernel.adapters = [adapter]
    computer.send(.kernel(.bytes(KernelWiFi.interface(adapter, sequence: 0))))
    #expect(computer.status == .working)
    computer.kernel.adapters = []
    computer.send(.kernel(.bytes(KernelWiFi.removed(3))))
    #expect(computer.driver.evidence.adapters.isEmpty)
    guard case .unavailable = computer.status else {
      Issue.record("\(String(describing: computer.status))")
      return
    }
  }

  @Test(
    "RADIO-91: an adapter has the rules of its own radio, else those of all; scans go on without")
  func rules() {
    let points = [AccessPoint("cafe", last: 1)]
    var computer = WiFiComputer(
      KernelWiFi([
        KernelWiFi.Adapter(3, "wlan0", points), KernelWiFi.Adapter(4, "wlan1", radio: 1, points),
      ]))
    computer.kernel.rules = [.world, KernelWiFi.Rules("DE", radio: 1, [(2400, 2483, 0)])]
    computer.want()
    let rules = computer.driver.evidence.adapters.map(\.rules)
    #expect(
      rules == [
        WiFiRules(country: "00", quiet: [.five], closed: [.six]),
        WiFiRules(radio: 1, country: "DE", closed: [.five, .six]),
      ])
    #expect(computer.scans.count == 2)

    computer = WiFiComputer()
    computer.want()
    #expect(computer.driver.evidence.adapters.map(\.rules) == [nil])
    #expect(computer.scans.count == 1)
  }

  @Test("RADIO-91: rules that never end are not kept")
  func manyRules() {
    var computer = WiFiComputer()
    computer.kernel.rules = (0..<100_000).map { KernelWiFi.Rules("DE", radio: $0 + 1) } + [.world]
    computer.want()
    #expect(computer.driver.evidence.adapters.map(\.rules) == [nil])
    #expect(computer.scans.count == 1)
  }

  @Test("what adapters heard is known after nobody asks any more")
  func afterwards() {
    var computer = WiFiComputer()
    computer.want()
    computer.want(nil)
    #expect(computer.driver.evidence.adapters.first?.stations == 3)
    #expect(computer.driver.nextDeadline == nil)
  }

  @Test("only adapters that use networks are read, one for each radio, or the one that is named")
  func adapters() {
    let point = [AccessPoint("cafe", last: 1)]
    var listener = KernelWiFi.Adapter(5, "ap0", radio: 2, point)
    listener.kind = 3
    let kernel = KernelWiFi([
      KernelWiFi.Adapter(4, "wlan0p", point), KernelWiFi.Adapter(3, "wlan0", point), listener,
      KernelWiFi.Adapter(6, "wlan1", radio: 1, point),
    ])
    var computer = WiFiComputer(kernel)
    computer.want()
    #expect(computer.driver.evidence.adapters.map(\.name) == ["wlan0", "wlan1"])
    var one = WiFiComputer(kernel, adapter: "wlan1")
    one.want()
    #expect(one.driver.evidence.adapters.map(\.name) == ["wlan1"])
    var none = WiFiComputer(kernel, adapter: "wlan7")
    none.want()
    #expect(
      none.status
        == .unavailable(
          .missing(
            "there is no Wi-Fi adapter named wlan7, or none in the network namespace of this process"
          )))
  }

  @Test("RADIO-3: each reading has its own age, and a list without anything new is no scan")
  func ages() {
    var computer = WiFiComputer(points: 2)
    computer.run(seconds: 10)
    computer.kernel.adapters[0].accessPoints[1].heardAt = 8_000_000_000
    computer.want(every: 3600)
    #expect(computer.scans.first?.readings.map(\.age) == [10, 2])
    computer.send(.kernel(.bytes(KernelWiFi.scanned(3))))
    #expect(computer.scans.count == 1)
    computer.scanned()
    #expect(computer.scans.count == 2)
  }

  @Test("RADIO-4: stations that must not be used are left out and counted")
  func filter() {
    var computer = WiFiComputer()
    computer.kernel.adapters[0].accessPoints += [
      AccessPoint("", last: 8), AccessPoint("home_nomap", last: 9),
      AccessPoint("Anna's iPhone", last: 10),
    ]
    computer.want()
    #expect(computer.scans.first?.readings.count == 3)
    #expect(computer.rejected("hidden") == 1)
    #expect(computer.rejected("opted out") == 1)
    #expect(computer.rejected("phones") == 1)
  }

  @Test("RADIO-8: a list that changed while it was read is read again, but not without end")
  func interrupted() {
    var computer = WiFiComputer()
    computer.kernel.interruptions = 1
    computer.want()
    #expect(computer.scans.first?.readings.count == 3)
    #expect(computer.scans.count == 1)
    var endless = WiFiComputer()
    endless.kernel.interruptions = 1000
    endless.want()
    #expect(endless.scans.count == 1)
    #expect(endless.kernel.interruptions == 997)
  }

  @Test("RADIO-8: a list of one address, and one of 100,000, are counted and bounded")
  func floods() {
    var same = WiFiComputer(points: 1)
    let point = same.kernel.adapters[0].accessPoints[0]
    same.kernel.adapters[0].accessPoints = [AccessPoint](repeating: point, count: 900)
    same.want()
    #expect(same.scans.first?.readings.count == 1)
    #expect(same.rejected("twice") == 899)

    var many = WiFiComputer(points: 1)
    many.kernel.adapters[0].accessPoints = (0..<100_000).map { number in
      AccessPoint(
        "flood", [0, 0x11] + (0..<4).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) },
        dBm: -50, heardAt: 0)
    }
    many.want()
    #expect(many.scans.first?.readings.count == 1000)
    #expect(many.rejected("beyond") == 99_000)
  }

  @Test("RADIO-8: a torn message is counted, and the kernel is asked anew")
  func torn() {
    var computer = WiFiComputer()
    computer.want(every: 3600)
    computer.run(seconds: 1)
    computer.send(.kernel(.bytes([1, 2, 3])))
    #expect(computer.rejected("torn") == 1)
    computer.scanned()
    #expect(computer.scans.count == 2)
  }

  @Test("RADIO-8: a channel that ends is opened again, with the numbers of nl80211 asked for anew")
  func reopened() {
    var computer = WiFiComputer()
    computer.want(every: 3600)
    computer.send(.kernel(.closed(.failed("read: No buffer space available"))))
    #expect(
      computer.status == .unavailable(.unreachable("read: No buffer space available")))
    computer.run(seconds: 2)
    #expect(computer.status == .working)
    #expect(computer.count { $0 == .open(.netlink(groups: [])) } == 2)
  }

  @Test("RADIO-8: a driver that gives no levels is heard without levels")
  func levels() {
    var computer = WiFiComputer()
    for index in 0..<3 { computer.kernel.adapters[0].accessPoints[index].level = nil }
    computer.want()
    #expect(computer.scans.first?.readings.map(\.level) == [nil, nil, nil])
  }
}
