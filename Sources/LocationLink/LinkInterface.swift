/// The description of the interface that the daemon returns: `org.meridian.location.varlink`.
package enum LinkInterface {
  package static let name = "org.meridian.location"
  package static let service = "org.varlink.service"

  /// The version of requests and deliveries; raised if an older peer would misunderstand them.
  package static let version = 3
  /// The oldest supported version.
  package static let oldestVersion = 1
  /// The first version whose clients acknowledge events; earlier ones acknowledge by receiving.
  static let versionThatTakes = 2
  /// The first version in which events of a monitor have numbers and records are sent once.
  static let versionWithNumbers = 3

  /// The same text as the file beside this one; a test compares them.
  package static let description = #"""
    # Where this machine is, for those who may know.
    #
    # Who asks is found out from the kernel, never from a message: the executable behind the socket.
    # Times are nanoseconds since 1970-01-01T00:00:00Z, distances meters, speeds meters per second,
    # angles degrees. A member that is missing is unknown. Ignore members that you do not know.
    interface org.meridian.location

    # One solved position.
    type Fix (
      latitude: float,
      longitude: float,
      # Radius of the circle that holds the true position, at 68 % confidence.
      accuracy: float,
      time: int,
      # Above mean sea level.
      altitude: ?float,
      ellipsoidalAltitude: ?float,
      verticalAccuracy: ?float,
      speed: ?float,
      speedAccuracy: ?float,
      # Clockwise from true north.
      course: ?float,
      courseAccuracy: ?float,
      floor: ?int,
      simulated: ?bool,
      accessory: ?bool
    )

    # One element of live updates: a position, or the reasons why there is none.
    type Update (
      fix: ?Fix,
      stationary: bool,
      diagnostics: []string
    )

    # What may be read without asking.
    type Authorization (
      # notDetermined, restricted, denied, always, whenInUse
      status: string,
      # full, reduced
      accuracy: string
    )

    type State (
      authorization: Authorization,
      servicesEnabled: bool,
      lastFix: ?Fix,
      regions: []object,
      equipment: object,
      # Whether a request for authorization waits for the answer of a person.
      isAsking: ?bool
    )

    # Live updates, one reply for each. Call with `more`; close the connection to stop.
    method Watch() -> (update: Update)

    # What this client may know, once.
    method GetState() -> (state: State)

    # The whole service, as the CoreLocation library uses it. Call with `more`. The first reply has
    # `version`, the lower of both sides', and `state`; each later one has a `delivery`. Requests and
    # deliveries are objects with one member, described in docs/formats/link.md; a delivery with a
    # member that you do not know is for a newer client.
    method Open(version: int) -> (version: ?int, state: ?State, delivery: ?object)

    # Asks for something on a connection that is open. Call with `oneway`.
    method Ask(request: object) -> ()

    # This connection is open already, or not yet.
    error OutOfOrder ()

    # The two sides have no version in common.
    error VersionUnsupported (oldest: int, newest: int)

    # Why this client is not served.
    error Refused (reason: string)

    """#

  /// The interface that every Varlink service has.
  package static let serviceDescription = """
    # What a service is, and what it offers.
    interface org.varlink.service

    method GetInfo() -> (
      vendor: string,
      product: string,
      version: string,
      url: string,
      interfaces: []string
    )

    method GetInterfaceDescription(interface: string) -> (description: string)

    error InterfaceNotFound (interface: string)

    error MethodNotFound (method: string)

    error MethodNotImplemented (method: string)

    error InvalidParameter (parameter: string)

    error ExpectedMore ()

    """
}
