import LocationLifecycle

/// What a framework for apps with windows does about location.
@MainActor
final class WindowWatch {
  private var windows = 0

  func windowWasShown() {
    windows += 1
    AppLifecycle.enter(.foreground)
  }

  func windowWasHidden() {
    windows -= 1
    if windows == 0 { AppLifecycle.enter(.background) }
  }

  func personQuits() {
    AppLifecycle.enter(.ended)
  }
}
