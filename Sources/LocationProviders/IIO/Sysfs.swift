/// One file below a folder of the kernel, as the host read it.
package struct SysfsReading: Hashable, Sendable {
  /// Relative to the folder: `iio:device0/in_magn_x_raw`.
  package var path: String
  package var text: String

  package init(path: String, text: String) {
    self.path = path
    self.text = text
  }
}

/// Which files of the kernel's sensors to read.
package enum SensorQuery: Hashable, Sendable {
  /// Every file that describes a sensor, to see what is there.
  case survey
  /// These files; one that cannot be read is left out.
  case files([String])
}
