import LocationEngine
import LocationModel
import LocationProviders

/// Why an app receives nothing although there are positions.
struct AppDiagnosis {
  let app: InstalledApp
  /// Its authorization; `nil` when it never requested one.
  let decided: Decision.Level?
  let servicesAreOn: Bool
  /// Why they are off, if no person has switched them off.
  var servicesReason: String?
  /// The lifecycle state that a daemon has of it, and what that rests on; `nil` while it does not run.
  var use: (life: String, ground: String)?
  /// What a daemon withholds from it, in the words of the link.
  var limits: [String] = []
  /// Why it could not be woken for an event.
  var asleep: String?
  /// Whether a daemon serves programs that ask GeoClue, which declare nothing.
  var mayAskGeoClue = false
  /// How the person who types begins a command of the daemon's owner.
  var command = "locationctl"

  var findings: [Finding] {
    [services, usage, authorization, background, sleep, beacon].compactMap { $0 } + withheld
  }

  /// What the owner's configuration, or a session that is not unlocked, withholds from it.
  private var withheld: [Finding] {
    let name = app.identity.name
    return limits.compactMap { limit in
      switch limit {
      case "restricted":
        finding(
          .bad, "restricted", "the configuration of locationd withholds its location",
          "remove `restrict = \(name)` from that file")
      case "noBackgroundRefresh":
        finding(
          .doubtful, "no_background_refresh", "no event starts it while it does not run",
          "remove `no-background-refresh = \(name)` from the configuration of locationd")
      case "locked":
        finding(
          .doubtful, "locked", "no event starts it until its user has unlocked a session",
          "log in as that user, or remove before-first-unlock = wait from the configuration of locationd"
        )
      default: nil
      }
    }
  }

  /// Of an app that wants to be a beacon, or about which that was decided.
  private var beacon: Finding? {
    let allow = "\(command) authorize --beacon yes -- \(app.identity.name)"
    switch decided?.beacon {
    case "yes": return finding(.good, "beacon_allowed", "it may be a Bluetooth beacon", nil)
    case "no":
      return finding(.doubtful, "beacon_declined", "it must not be a Bluetooth beacon", allow)
    default:
      guard app.manifest?.bluetoothUsage != nil else { return nil }
      return finding(
        .doubtful, "beacon_undecided", "nobody has allowed it to be a Bluetooth beacon yet", allow)
    }
  }

  private var services: Finding? {
    guard !servicesAreOn else { return nil }
    return Finding(
      subject: "location services", code: "services_off", verdict: .bad,
      message: servicesReason ?? "switched off for the whole machine",
      next: "\(command) services on")
  }

  /// That it is not in use, where it is authorized only for that (STD-48).
  private var background: Finding? {
    guard let use, let level = decided.flatMap({ AuthorizationLevel(rawValue: $0.level) }),
      [.whenInUse, .once].contains(level)
    else { return nil }
    guard use.life != "foreground" else { return unknown(use.ground) }
    let name = app.identity.name
    let shown =
      [
        "service": "as a service of systemd", "terminal": "as its terminal shows",
        "window": "as none of its windows is active", "reported": "as it reports itself",
        "nothing": "as it was started for an event", "assumed": "as it was started for an event",
      ][use.ground] ?? use.ground
    return finding(
      .doubtful, "not_in_use", "it is in the \(use.life), \(shown), and allowed only while in use",
      "\(command) authorize \(name) always")
  }

  /// That nothing shows whether it is in use (MODEL-2).
  private func unknown(_ ground: String) -> Finding? {
    guard ground == "nothing" else { return nil }
    return finding(
      .doubtful, "use_unknown",
      "neither a window, nor a terminal, nor a unit of systemd shows whether it is in use, so it "
        + "counts as in use while it runs",
      "see why with locationctl log, or set in-use = assumed in the configuration of locationd to "
        + "accept it for every app")
  }

  /// That an event waits for it, because it is suspended and cannot be woken.
  private var sleep: Finding? {
    guard let asleep, use?.life == "suspended" else { return nil }
    return finding(
      .doubtful, "cannot_be_woken", "an event waits until it continues: \(asleep)",
      asleep.contains("continue = yes")
        ? "\(command) apps register --continue PROGRAM" : "thaw it: systemctl thaw UNIT")
  }

  /// Without a usage string no prompt is put (AUTH-19).
  private var usage: Finding? {
    let key = Manifest.Key.whenInUse
    guard let manifest = app.manifest else {
      guard !mayAskGeoClue || app.path == nil && decided == nil else { return undeclared }
      guard app.path == nil else {
        return missingUsage(
          "it has no property list",
          "create \(app.manifestFile) with the key \(key) and the reason, in words for people")
      }
      return Finding(
        subject: app.identity.name, code: "manifest_unknown", verdict: .doubtful,
        message: "its property list cannot be found from the identifier alone",
        next: "give the path of its executable: locationctl doctor --app ./NAME")
    }
    guard manifest.whenInUseUsage == nil else { return nil }
    return missingUsage(
      "\(manifest.file) has no reason why the app wants the location, so no question is shown",
      "add the key \(key) with the reason to \(manifest.file)")
  }

  /// That it has no reason of its own, which it does not need where it asks GeoClue (GEOCLUE-6).
  private var undeclared: Finding {
    finding(
      .good, "no_usage_string",
      "it has no property list, and needs none to ask GeoClue: the question says that it gives no reason; "
        + "a program that uses Core Location needs \(app.manifestFile)", nil)
  }

  private func missingUsage(_ message: String, _ next: String) -> Finding {
    Finding(
      subject: app.identity.name, code: "usage_string_missing", verdict: .bad, message: message,
      next: next)
  }

  private var authorization: Finding {
    let level = decided.flatMap { AuthorizationLevel(rawValue: $0.level) } ?? .ask
    let allow = "\(command) authorize \(app.identity.name) whenInUse"
    switch level {
    case .never:
      return finding(.bad, "not_authorized", "the person denied it", allow)
    case .ask:
      return finding(.bad, "not_authorized", "nobody has allowed it yet", allow)
    case .once, .whenInUse, .always:
      let isReduced = decided.map { !$0.isPrecise } ?? false
      let place =
        app.manifest != nil || !mayAskGeoClue
        ? (isReduced ? ", approximately" : "")
        : isReduced
          ? ", approximately: the coarse place at every level that it asks GeoClue for"
          : ": the place as exact as the level that it asks GeoClue for, and as the desktop allows"
      return finding(.good, "authorized", "allowed: \(level.rawValue)\(place)", nil)
    }
  }

  /// What the app requires of a device, and no source gives (AVAIL-6).
  static func lacking(of app: InstalledApp, with sources: [Source]) -> [Finding] {
    (app.manifest?.requiredCapabilities ?? []).compactMap { capability in
      guard let (fits, next) = capabilities[capability], !sources.contains(where: fits) else {
        return nil
      }
      return Finding(
        subject: app.identity.name, code: "capability_missing", verdict: .doubtful,
        message: "it requires \(capability) of a device, and no source here gives that", next: next)
    }
  }

  /// The capabilities that concern location: which sources give each, and how to name one.
  private static let capabilities: [String: (@Sendable (Source) -> Bool, next: String)] = [
    "location-services": (\.givesPositions, SourceDiagnosis.howToName),
    "gps": (\.isReceiver, SourceDiagnosis.howToName),
    "magnetometer": ({ if case .iio = $0 { true } else { false } }, "name the kernel's: iio:"),
    "accelerometer": ({ if case .iio = $0 { true } else { false } }, "name the kernel's: iio:"),
    "bluetooth-le": ({ $0 == .bluez }, "name the radio: bluez:"),
  ]

  private func finding(
    _ verdict: Finding.Verdict, _ code: String, _ message: String, _ next: String?
  ) -> Finding {
    Finding(subject: app.identity.name, code: code, verdict: verdict, message: message, next: next)
  }
}

extension Source {
  /// Whether it reads a satellite receiver, or what one has written.
  fileprivate var isReceiver: Bool {
    switch receiver {
    case .gpx, .fixes: false
    default: tier == .satellite
    }
  }
}
