import CoreLocation

// An app with a window of X or of Wayland, by their protocols alone: "x11 NAME" or "wayland NAME", and
// "locate" for one that asks for locations, too. NAME is the window's title, and its app identifier.

func say(_ text: String) {
  FileHandle.standardOutput.write(Data("\(text)\n".utf8))
}

let words = Array(CommandLine.arguments.dropFirst())
guard words.count >= 2 else {
  say("usage: WindowApp x11|wayland NAME [locate]")
  exit(2)
}
let isOfX = words[0] == "x11"
let variables = ProcessInfo.processInfo.environment

Thread.detachNewThread {
  do {
    if isOfX {
      try XWindow.show(words[1], on: variables["DISPLAY"] ?? "")
    } else {
      let folder = variables["XDG_RUNTIME_DIR"] ?? ""
      try WaylandWindow.show(words[1], on: "\(folder)/\(variables["WAYLAND_DISPLAY"] ?? "")")
    }
    say("closed")
  } catch { say("no window: \(error)") }
}

guard words.contains("locate") else { RunLoop.main.run(until: .distantFuture); exit(0) }
Task {
  for try await update in CLLocationUpdate.liveUpdates() {
    say(
      update.location != nil
        ? "location" : update.insufficientlyInUse ? "not in use" : "no location")
  }
}
RunLoop.main.run(until: .distantFuture)
