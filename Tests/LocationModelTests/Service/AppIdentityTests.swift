import LocationModel
import Testing

@Suite("The name of an app")
struct AppIdentityTests {
  @Test(
    "border 3: is an identifier only where that is a reverse-DNS name in ASCII",
    arguments: [
      ("org.example.Walk", nil), ("com.37signals.app-1_b", nil), ("a.b", nil),
      ("org.example.Walk@1001", "U+0040"), ("org.example.Walk\0", "U+0000"),
      ("org.example.Walk\0@1001", "U+0000"), ("/opt/walk/walk", "U+002F"),
      ("org.example.W\u{430}lk", "U+0430"), ("org.example.Caf\u{e9}", "U+00E9"),
      ("org.example.*", "U+002A"), ("org.example.Walk\n", "U+000A"),
      ("org.example.My Walk", "U+0020"),
      ("org.example.%41", "U+0025"), ("*", "U+002A"), ("", "empty part"),
      (".org.example", "empty part"),
      ("org.example.", "empty part"), ("org..example", "empty part"), ("walk", "org.example.App"),
      ("locationctl", "org.example.App"), ("-f.example", "hyphen"),
      (String(repeating: "a.", count: 128) + "b", "255"),
    ] as [(String, String?)])
  func identifiers(_ text: String, _ fault: String?) {
    let said = AppIdentity.fault(ofIdentifier: text)
    #expect((said == nil) == (fault == nil))
    if let fault { #expect(said?.contains(fault) == true) }
    let app = AppIdentity(declaring: text, path: "/opt/walk/walk", user: 1001)
    #expect(app.name == (fault == nil ? text : "/opt/walk/walk") + "@1001")
    #expect(app.user == 1001)
  }

  @Test("border 3: is no other user's, and no other program's, whatever a path is made of")
  func paths() {
    let paths = [
      "/srv/x/app", "/srv/x/app@1001", "/srv/x/app%401001", "/srv/x/app@1001@1001",
      "/srv/x/app\n", "/srv/x/app\u{1b}[2J", "/srv/x/caf\u{e9}", "/srv/x/cafe\u{301}",
      "/srv/x/100%", "/srv/x/a b=c",
    ]
    let users: [UInt32?] = [nil, 0, 1001]
    var names: Set<String> = []
    for path in paths {
      for user in users {
        let app = AppIdentity(path: path, user: user)
        names.insert(app.name)
        #expect(app.name.utf8.allSatisfy { $0 >= 0x20 && $0 < 0x7f })
        #expect(app.user == user)
        #expect(app.path.map { Array($0.utf8) } == Array(path.utf8))
      }
    }
    #expect(names.count == paths.count * users.count)
    #expect(AppIdentity(path: "/opt/walk/walk").name == "/opt/walk/walk")
  }

  @Test("border 3: has a user only where a number stands behind its one @")
  func users() {
    #expect(AppIdentity("org.example.Walk@1001").base == "org.example.Walk")
    for name in ["a.b@", "a.b@+5", "a.b@05", "a.b@x", "a.b@-1", "a.b@4294967296", "a.b"] {
      #expect(AppIdentity(name).user == nil)
      #expect(AppIdentity(name).base == name)
    }
  }
}
