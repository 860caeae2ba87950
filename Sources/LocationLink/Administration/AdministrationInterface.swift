/// The description of the owner's interface that the daemon returns: the text of
/// `org.meridian.administration.varlink`.
package enum AdministrationInterface {
  package static let name = "org.meridian.administration"

  /// The same text as the file; a test compares them.
  package static let description = #"""
    # What the owner of a location daemon may see and change: root, and the user that it runs as, by the
    # installed locationctl or a program registered in the configuration (`owner-program`), outside of any
    # sandbox, and without an app behind it.
    #
    # Other callers get the error NotOwner. Times are nanoseconds since 1970-01-01T00:00:00Z, durations
    # nanoseconds, distances meters, angles degrees. Places are included only where `places` is true.
    interface org.meridian.administration

    type Place (latitude: float, longitude: float)

    # The newest fix of one source. What has become of it: current (the last fix is this one, alone or with
    # those of others), fused (the last fix rests on it and on one of another source), earlier (it was the last
    # fix, until another source gave a later one), refused.
    type OwnFix (
      time: int,
      accuracy: float,
      use: string,
      # Why it is refused: lessAccurate, contradicted, olderThanCurrent, unconfirmedJump, unconfirmedClock.
      reason: ?string,
      place: ?Place
    )

    # A satellite, as a receiver saw it last. Where it stands is included only with `places`.
    type Satellite (
      # gps, sbas, galileo, beidou, imes, qzss, glonass, navic
      system: string,
      # Its number in the system; of SBAS the PRN.
      number: int,
      # Degrees above the horizon, and from true north.
      elevation: ?float,
      azimuth: ?float,
      # dB-Hz; missing while it is not received.
      signal: ?float,
      # Whether the fix rests on it.
      used: bool
    )

    type Source (
      url: string,
      # idle, searching, working, unavailable
      status: string,
      reason: ?string,
      fixes: int,
      rejected: int,
      # over a network: loopback (on this machine), tls (encrypted, the server is checked), plain (neither)
      transport: ?string,
      # Missing until it gave one, while a place is set from outside, and from older daemons.
      fix: ?OwnFix,
      # Missing where it names none, and from older daemons.
      satellites: ?[]Satellite
    )

    type Client (
      # Missing for a process that has asked for nothing yet.
      app: ?string,
      program: string,
      pid: int,
      user: int,
      since: int,
      # What it asks for now.
      services: []string
    )

    # Who is asked when an app asks, and why it can ask nobody now.
    type Agent (name: string, obstacle: ?string)

    # A program registered to answer for a person or to administer, why it is not trusted, and the command
    # that mends it.
    type Program (
      path: string,
      # agent, owner
      role: string,
      obstacle: ?string,
      mend: ?string
    )

    type Demand (
      # cell, network, satellite, navigation; missing while nobody needs positions.
      tier: ?string,
      interval: ?int,
      motion: bool,
      beacons: bool,
      magnetometer: bool
    )

    # The name org.freedesktop.GeoClue2 on the bus of the system: serving, taken, or refused, and why.
    type GeoClue (state: string, reason: ?string)

    # When the configuration was refused first, and its faults with file and line, a line each.
    type RefusedReload (since: int, reason: string)

    # The port of the loopback where programs for gpsd are served: serving, taken, or refused, and why; how many
    # are connected, and how many connections a bound has closed.
    type GpsdPort (port: int, state: string, reason: ?string, programs: int, closed: int)

    # How fixes go to the ingress of a fleet: good, waiting for it, refused by it, forbidden by the owner, or faulty,
    # why, and what can be done; the fixes that wait, when the oldest was taken, how many were acknowledged and
    # dropped since the daemon began, and when something was acknowledged last.
    type Uplink (
      app: string,
      server: string,
      tenant: ?string,
      device: string,
      state: string,
      reason: ?string,
      next: ?string,
      queued: int,
      oldest: ?int,
      sent: int,
      dropped: int,
      lastSent: ?int
    )

    type LastFix (time: int, accuracy: float, place: ?Place)

    # The newest heading that an app has received, of the device's top edge, in 0..<360. `accuracy` is missing
    # while the compass is not calibrated, or disturbed; `trueHeading` without `places`, and without a place.
    type Heading (magneticHeading: float, trueHeading: ?float, accuracy: ?float, time: int)

    # A beacon that an app ranges, as in the last report.
    type Beacon (
      uuid: string,
      major: int,
      minor: int,
      # immediate, near, far, unknown
      proximity: string,
      # Meters; missing where it is unknown.
      accuracy: ?float,
      # dBm; missing when nothing was measured.
      rssi: ?int,
      time: int
    )

    # How the device moves, by its motion sensor (unknown, stationary, walking, running, cycling, automotive;
    # missing without one) and by its fixes, in meters per second. `doubting` is whether the newest fix waits
    # for another that confirms it.
    type Motion (activity: ?string, speed: float, doubting: bool)

    # What speaks for a change that has not been decided. `towards` is the state: satisfied, unsatisfied.
    # It is decided when `probability` has come to `threshold`, and `earliest` has come.
    type Belief (
      towards: string,
      probability: float,
      threshold: float,
      since: int,
      fixes: int,
      earliest: int
    )

    # The visit that lasts, and what speaks for its end.
    type CurrentVisit (arrival: ?int, accuracy: float, place: ?Place, departure: ?Belief)

    # What one service of an app needs of the hardware (APP/SERVICE), or one of all apps together.
    type Share (client: string, demand: Demand)

    type Status (
      pid: int,
      since: int,
      state: string,
      # The folder of launch registrations; absent from older daemons.
      launch: ?string,
      servicesEnabled: bool,
      # Why they are off, if nobody has switched them off.
      servicesReason: ?string,
      # Why the last decisions are not stored yet.
      unstored: ?string,
      sources: []Source,
      clients: []Client,
      # In the order in which they are asked; absent from older daemons.
      agents: ?[]Agent,
      # Those that the configuration registers; absent from older daemons.
      programs: ?[]Program,
      demand: Demand,
      lastFix: ?LastFix,
      # Whether a place is set from outside; older daemons do not say.
      simulated: ?bool,
      # Absent where programs that ask GeoClue are not to be served, and from older daemons.
      geoclue: ?GeoClue,
      # Absent where the configuration names no port for gpsd's programs, and from older daemons.
      gpsd: ?GpsdPort,
      # Absent where the configuration names no ingress of a fleet, and from older daemons.
      uplink: ?Uplink,
      # Where the key of the state is from; absent while it is kept in memory only, and from older daemons.
      key: ?string,
      # How many rows of the state do not open, and why.
      unread: ?string,
      # The version of the daemon, and whether the file of its program was replaced or removed since it began.
      version: ?string,
      replaced: ?bool,
      # Why the configuration on disk is not in force; absent if it is.
      refusedReload: ?RefusedReload,
      # The rest is absent where there is nothing to say, and from older daemons.
      heading: ?Heading,
      # The middle of the cell that apps with reduced accuracy know; each has a point of its own in it.
      coarse: ?LastFix,
      # Only with `places`, in the order of the beacons.
      beacons: ?[]Beacon,
      # Missing while nothing needs to know.
      motion: ?Motion,
      # Missing while no app asks for visits.
      visit: ?CurrentVisit,
      # Those that need something, in their order.
      shares: ?[]Share
    )

    # An app that uses the location now, or asks to calibrate the compass.
    type Use (
      app: string,
      # Missing where it was not verified.
      program: ?string,
      user: ?int,
      active: bool,
      # Whether it does so in the background.
      background: bool,
      calibration: bool
    )

    type UseStatus (apps: []Use, servicesEnabled: bool, simulated: bool)

    # A position with its accuracy in meters. It is marked as simulated, whatever is sent.
    type Fix (
      latitude: float,
      longitude: float,
      accuracy: float,
      time: int,
      altitude: ?float,
      ellipsoidalAltitude: ?float,
      verticalAccuracy: ?float,
      speed: ?float,
      speedAccuracy: ?float,
      course: ?float,
      courseAccuracy: ?float,
      floor: ?int
    )

    # `accuracy` is an object with one member: best, bestForNavigation, reduced, or meters ({"meters": float}).
    type LocationOptions (accuracy: ?object, distanceFilter: ?float)

    # `diagnostics` has the names of what keeps positions away, as live updates name them.
    type LocationUpdate (fix: ?Fix, stationary: bool, diagnostics: []string)

    type App (
      app: string,
      # never, ask, once, whenInUse, always
      level: string,
      precise: bool,
      # Whether it may make this computer a Bluetooth beacon: ask, yes, no.
      beacon: ?string,
      processes: int,
      conditions: int,
      program: ?string,
      # The command or unit that starts it for an event; missing where none does.
      starter: ?string,
      # What the owner or the system withholds: restricted (its place), noBackgroundRefresh (its start for
      # events), forceQuit (its start after the person has ended it), locked (its start before its user has
      # unlocked a session).
      limits: ?[]string,
      # What the configuration changes for the services of every app: pauseNeedsRestart, heartbeat SECONDS,
      # remindAfter DAYS.
      settings: ?[]string,
      # foreground, background, or suspended; absent while it does not run.
      life: ?string,
      # How the daemon knows it: reported by its framework, window, terminal, service, stopped, frozen,
      # nothing, or assumed by the configuration.
      ground: ?string,
      # Why it could not be woken for an event, which waits until it continues.
      asleep: ?string
    )

    type Condition (
      app: string,
      # Missing for a region of a location manager.
      monitor: ?string,
      identifier: string,
      # circle, polygon, beacon, unsupported
      kind: string,
      radius: ?float,
      place: ?Place,
      # Of a polygon: how many positions it has, and the geometry that AddPolygon had, only with places.
      positions: ?int,
      polygon: ?object,
      # unknown, satisfied, unsatisfied, unmonitored
      state: string,
      date: int,
      # What speaks against the state; missing while nothing does, for a beacon, and from older daemons.
      belief: ?Belief
    )

    type LogRecord (
      date: int,
      # service, client, source, authorization, demand, condition, store, fix
      category: string,
      message: string,
      app: ?string,
      pid: ?int,
      fault: ?bool,
      place: ?Place,
      # Of the region or condition; only for those who follow with `places`.
      name: ?string
    )

    # A period, without a pause of ten minutes, in which an app received locations.
    type Access (app: string, service: string, first: int, last: int, count: int)

    # A boundary was crossed. Distances are from the boundary, positive outside.
    type Crossing (
      firstFix: int,
      lastFix: int,
      fixes: int,
      # That the new state is true, in 0..<1.
      probability: float,
      # Missing when no fix was on the other side.
      crossed: ?int,
      decided: int,
      distance: float,
      spread: float,
      # On what the last fix rests, the most accurate first: receiver, accessPoints, beacons, cells, service.
      # Missing for a fix of one source.
      fused: ?[]string
    )

    # A visit began.
    type Stay (
      firstFix: int,
      lastFix: int,
      fixes: int,
      # The mean distance of the fixes from their middle.
      scatter: float,
      # familiar, new, newAfterRide, newByCoarseFixes
      place: string,
      # How long a stay must last at such a place.
      dwellSeconds: float,
      decided: int
    )

    # Why an event was delivered: one of the two.
    type Evidence (crossing: ?Crossing, stay: ?Stay)

    # An event as it was delivered to an app. No place is kept with it.
    type Event (
      number: int,
      app: string,
      # condition, region, visit
      kind: string,
      # Missing for a visit.
      identifier: ?string,
      # satisfied, unsatisfied, unknown, unmonitored; entered, exited; arrived, departed
      state: string,
      date: int,
      told: int,
      # Missing for what no fix decided.
      evidence: ?Evidence
    )

    # A Bluetooth adapter of the daemon's machine, by its address.
    type Adapter (
      address: string,
      # dB by which it receives more at one meter than beacons claim, as calibrated; missing until then.
      offset: ?int,
      # What it usually receives, in dB over the claim, as learned; and its standard deviation.
      level: float,
      spread: float,
      # How many places that rests on.
      places: float
    )

    # What the map knows of one kind of transmitters.
    type MapLayer (
      # wifi, cell, beacon
      kind: string,
      # Received by this machine, each box once; those of them that move are not used.
      transmitters: int,
      blocked: int,
      # Of imported lists.
      imported: int,
      # Square meters of ground.
      area: float,
      # The days of the oldest and the newest lesson.
      oldest: ?int,
      newest: ?int,
      # What is stored of it.
      bytes: int
    )

    # Why parts of an import were not used, and how many.
    type ImportRefusal (reason: string, count: int)

    # How much of the map was forgotten around a place.
    type MapForgotten (places: int, transmitters: int)

    # One entry of the durable state. An empty app is the machine as a whole.
    type Entry (domain: string, app: string, name: string, value: string)

    # What has changed. A part that has not is missing.
    type StatusChange (
      status: ?Status,
      # All of them; `places` as in the call.
      conditions: ?[]Condition,
      apps: ?[]App,
      # New ones; at first the newest 200.
      events: ?[]Event,
      # Those that are new or have changed, by app, service, and `first`; at first the newest 100.
      access: ?[]Access
    )

    method GetStatus(places: ?bool) -> (status: Status)

    # Everything now, and then what changes: at most ten replies a second, of which apps, events, and access
    # come once a second. For a caller that has not read, nothing waits: when it has, it gets what holds then.
    # Call with `more`.
    method FollowStatus(places: ?bool) -> (change: StatusChange)

    method ListApps() -> (apps: []App)

    # `app` is an identifier, or the path of a program. `level` is never, ask, whenInUse, always, or
    # reset. `beacon` is whether the app may make this computer a Bluetooth beacon; no level implies it.
    method Authorize(app: string, level: ?string, precise: ?bool, beacon: ?bool) -> (
      before: ?App,
      after: App,
      explanations: []string
    )

    # Resets what every app may know, and whether it may be a beacon: each counts as never asked. `apps`
    # are those for which something has changed.
    method ResetAuthorization() -> (apps: []string)

    # Gives the identifier `app`, and its authorization, to the program at the path `program`; `before` is the
    # program that had it. Processes of both connect again.
    method Adopt(app: string, program: string) -> (before: string)

    # Switches location services on or off for the whole machine.
    method SetServices(on: bool) -> ()

    # What all apps monitor.
    method ListConditions(places: ?bool) -> (conditions: []Condition)

    # Monitors a circle for the owner.
    method AddCondition(identifier: string, latitude: float, longitude: float, radius: float) -> ()

    # Monitors a polygon for the owner: a geometry of GeoJSON (RFC 7946), Polygon or MultiPolygon, of at
    # most 1,000 positions; 20,000 of all polygons together.
    method AddPolygon(identifier: string, polygon: object) -> ()

    # Ends what AddCondition or AddPolygon began.
    method RemoveCondition(identifier: string) -> ()

    # The owner's events, one reply each: first those that came while no call followed them. Call with `more`.
    method FollowEvents() -> (event: Condition)

    # Which apps use the location: a reply now, and one for each change. Call with `more`.
    method FollowUse() -> (use: UseStatus)

    # Where the device is, one reply each, as an app receives it that may know the location: live updates, or with
    # `options` those of a manager, of which `once` gives one position, the best within ten seconds. The hardware is
    # asked for it until the connection ends, and the access log names the owner. Call with `more`.
    method FollowLocations(options: ?LocationOptions, once: ?bool) -> (update: LocationUpdate)

    # Sets where the device is, in place of all sources. It ends with the connection, or with `hold` by
    # EndSimulation only. The daemon of the whole machine refuses unless its configuration allows it.
    method Simulate(fix: Fix, hold: ?bool) -> ()

    # Ends what Simulate began, on whichever connection; `ended` is whether there was anything.
    method EndSimulation() -> (ended: bool)

    # The last records of the log, one reply each; with `follow` also those to come. Without categories
    # all but `fix`. The last reply has no record. Call with `more`.
    method ReadLog(categories: ?[]string, last: ?int, follow: ?bool, places: ?bool) -> (
      record: ?LogRecord
    )

    # The access log: when which app received a location.
    method ListAccess(app: ?string) -> (access: []Access)

    # The last events delivered to one app or to all, oldest first, one reply each; the last has no event.
    # Call with `more`.
    method ListEvents(app: ?string) -> (event: ?Event)

    # What is known of the Bluetooth adapters that have heard beacons, or were calibrated.
    method ListAdapters() -> (adapters: []Adapter)

    # Stores how an adapter hears; without `offset`, forgets its calibration, and what was learned of it.
    method CalibrateAdapter(adapter: string, offset: ?int) -> ()

    # What the map of transmitters knows. `key` shows whether rows that were exported before belong to it.
    method GetMap() -> (layers: []MapLayer, key: string)

    # Adds to the map: items of Ichnaea's geosubmit, `placed` transmitters, and exported rows
    # (docs/formats/radio-map.md). It is stored with the `last` ones, and every minute.
    method ImportMap(items: []object, last: bool) -> (refused: []ImportRefusal)

    # Forgets where transmitters are received; `rows` is how many entries were stored of it.
    method ForgetMap() -> (rows: int)

    # Forgets the places of the map whose middles lie within so many meters, the transmitters that are known
    # nowhere else, and those that imported lists place there.
    method ForgetMapNear(latitude: float, longitude: float, radius: float) -> (forgotten: MapForgotten)

    # Everything that is stored, of one app or of all, one reply each; the last has no entry. Call with
    # `more`.
    method ExportData(app: ?string) -> (entry: ?Entry)

    # Erases everything of one app, or everything but the switch of the whole machine. The daemon starts
    # over, and its clients come back.
    method EraseData(app: ?string) -> (entries: int)

    # Seals the state with new keys; returns how many rows did not open before, and are gone. The key that
    # opens them is to lie in file or in secret-service; without key it stays where it is.
    method RenewKeys(key: ?string) -> (rows: int)

    # Only the owner may: why this process is not, and what a person does about it.
    error NotOwner (reason: string, next: ?string)

    # Why it cannot be done, and what the owner can do about it.
    error Refused (reason: string, next: ?string)

    """#
}
