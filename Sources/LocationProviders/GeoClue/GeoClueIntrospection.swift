// The description of the objects for tools such as busctl and gdbus.
extension GeoClue.Place {
  /// The interface that only this kind of object has; `nil` for one that has none.
  var interface: GeoClue.Interface? {
    switch self {
    case .root: nil
    case .manager: .manager
    case .client: .client
    case .location: .location
    }
  }

  /// The description of the object in XML.
  var introspection: String {
    let own =
      switch self {
      case .root: "  <node name=\"Manager\"/>\n"
      case .manager: Self.managerInterface
      case .client: Self.clientInterface
      case .location: Self.locationInterface
      }
    return Self.head + "<node>\n" + own + Self.common + "</node>\n"
  }

  private static let head = """
    <!DOCTYPE node PUBLIC "-//freedesktop//DTD D-BUS Object Introspection 1.0//EN"
     "http://www.freedesktop.org/standards/dbus/1.0/introspect.dtd">

    """

  private static let common = """
      <interface name="org.freedesktop.DBus.Properties">
        <method name="Get">
          <arg type="s" name="interface_name" direction="in"/>
          <arg type="s" name="property_name" direction="in"/>
          <arg type="v" name="value" direction="out"/>
        </method>
        <method name="GetAll">
          <arg type="s" name="interface_name" direction="in"/>
          <arg type="a{sv}" name="properties" direction="out"/>
        </method>
        <method name="Set">
          <arg type="s" name="interface_name" direction="in"/>
          <arg type="s" name="property_name" direction="in"/>
          <arg type="v" name="value" direction="in"/>
        </method>
        <signal name="PropertiesChanged">
          <arg type="s" name="interface_name"/>
          <arg type="a{sv}" name="changed_properties"/>
          <arg type="as" name="invalidated_properties"/>
        </signal>
      </interface>
      <interface name="org.freedesktop.DBus.Introspectable">
        <method name="Introspect">
          <arg type="s" name="xml_data" direction="out"/>
        </method>
      </interface>
      <interface name="org.freedesktop.DBus.Peer">
        <method name="Ping"/>
        <method name="GetMachineId">
          <arg type="s" name="machine_uuid" direction="out"/>
        </method>
      </interface>

    """

  private static let managerInterface = """
      <interface name="org.freedesktop.GeoClue2.Manager">
        <property name="InUse" type="b" access="read"/>
        <property name="AvailableAccuracyLevel" type="u" access="read"/>
        <method name="GetClient">
          <arg name="client" type="o" direction="out"/>
        </method>
        <method name="CreateClient">
          <arg name="client" type="o" direction="out"/>
        </method>
        <method name="DeleteClient">
          <arg name="client" type="o" direction="in"/>
        </method>
        <method name="AddAgent">
          <arg name="id" type="s" direction="in"/>
        </method>
      </interface>

    """

  private static let clientInterface = """
      <interface name="org.freedesktop.GeoClue2.Client">
        <property name="Location" type="o" access="read"/>
        <property name="DistanceThreshold" type="u" access="readwrite"/>
        <property name="TimeThreshold" type="u" access="readwrite"/>
        <property name="DesktopId" type="s" access="readwrite"/>
        <property name="RequestedAccuracyLevel" type="u" access="readwrite"/>
        <property name="Active" type="b" access="read"/>
        <method name="Start"/>
        <method name="Stop"/>
        <signal name="LocationUpdated">
          <arg name="old" type="o"/>
          <arg name="new" type="o"/>
        </signal>
      </interface>

    """

  private static let locationInterface = """
      <interface name="org.freedesktop.GeoClue2.Location">
        <property name="Latitude" type="d" access="read"/>
        <property name="Longitude" type="d" access="read"/>
        <property name="Accuracy" type="d" access="read"/>
        <property name="Altitude" type="d" access="read"/>
        <property name="Speed" type="d" access="read"/>
        <property name="Heading" type="d" access="read"/>
        <property name="Description" type="s" access="read"/>
        <property name="Timestamp" type="(tt)" access="read"/>
      </interface>

    """
}
