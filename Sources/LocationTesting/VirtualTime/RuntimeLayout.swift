import CVirtualTime

/// How the runtime of this process lays out its tasks, which virtual time reads (decision 0012).
struct RuntimeLayout {
  private let layout: virtual_time_layout

  static var present: RuntimeLayout { RuntimeLayout(virtual_time_layout_of_runtime()) }

  init(_ layout: virtual_time_layout) { self.layout = layout }

  /// Why virtual time does not run here, as a sentence; `nil` where it does.
  var refusal: String? {
    guard virtual_time_knows(layout) == 0 else { return nil }
    let escalation = layout.escalates == 0 ? "without" : "with"
    return "virtual time does not know the layout of this Swift runtime's tasks (version "
      + "\(layout.version), \(layout.task) bytes, pointers of \(layout.pointer) bytes, \(escalation) "
      + "escalation of priorities): it cannot tell what a test waits for. Use Swift 6.3"
  }
}
