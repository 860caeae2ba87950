package import LocationModel

/// A matrix of three rows that transforms vectors of a device.
package struct Matrix3: Hashable, Sendable {
  package var x: DeviceVector
  package var y: DeviceVector
  package var z: DeviceVector

  package init(x: DeviceVector, y: DeviceVector, z: DeviceVector) {
    self.x = x
    self.y = y
    self.z = z
  }

  /// Creates a matrix of nine numbers, row by row; `nil` for another count or a number not finite.
  package init?(_ numbers: [Double]) {
    guard numbers.count == 9, numbers.allSatisfy(\.isFinite) else { return nil }
    x = DeviceVector(x: numbers[0], y: numbers[1], z: numbers[2])
    y = DeviceVector(x: numbers[3], y: numbers[4], z: numbers[5])
    z = DeviceVector(x: numbers[6], y: numbers[7], z: numbers[8])
  }

  /// Reads the kernel's `mount_matrix`: `1, 0, 0; 0, 1, 0; 0, 0, 1`, from sensor to device axes.
  ///
  /// Returns `nil` for anything but three rows of three numbers that rotate without scaling.
  package init?(mountMatrix text: some StringProtocol) {
    let rows = text.split(separator: ";", omittingEmptySubsequences: false)
    let fields = rows.map { $0.split(separator: ",", omittingEmptySubsequences: false) }
    guard rows.count == 3, fields.allSatisfy({ $0.count == 3 }) else { return nil }
    self.init(fields.joined().compactMap { Double(trimmed: $0) })
    guard (0.9...1.1).contains(determinant.magnitude) else { return nil }
  }

  package static let identity = scaled(1)

  package static func scaled(_ factor: Double) -> Matrix3 {
    Matrix3(
      x: DeviceVector(x: factor, y: 0, z: 0), y: DeviceVector(x: 0, y: factor, z: 0),
      z: DeviceVector(x: 0, y: 0, z: factor))
  }

  package var numbers: [Double] { [x, y, z].flatMap { [$0.x, $0.y, $0.z] } }

  package var determinant: Double { x.dot(y.cross(z)) }

  /// The inverse; `nil` when the matrix is singular.
  package var inverse: Matrix3? {
    guard determinant.magnitude > 1e-12 else { return nil }
    let factor = 1 / determinant
    let columns = [y.cross(z) * factor, z.cross(x) * factor, x.cross(y) * factor]
    return Matrix3(x: columns[0], y: columns[1], z: columns[2]).transposed
  }

  private var transposed: Matrix3 {
    Matrix3(
      x: DeviceVector(x: x.x, y: y.x, z: z.x), y: DeviceVector(x: x.y, y: y.y, z: z.y),
      z: DeviceVector(x: x.z, y: y.z, z: z.z))
  }

  /// The symmetric root of a symmetric matrix, by the iteration of Denman and Beavers (1976);
  /// `nil` when the matrix is not positive definite.
  package var squareRoot: Matrix3? {
    guard x.x > 0, x.x * y.y - x.y * y.x > 0, determinant > 0 else { return nil }
    var root = self
    var inverseRoot = Matrix3.identity
    for _ in 0..<30 {
      guard let first = inverseRoot.inverse, let second = root.inverse else { return nil }
      (root, inverseRoot) = ((root + first) * 0.5, (inverseRoot + second) * 0.5)
    }
    return root.numbers.allSatisfy(\.isFinite) ? root : nil
  }

  package static func * (matrix: Matrix3, vector: DeviceVector) -> DeviceVector {
    DeviceVector(x: matrix.x.dot(vector), y: matrix.y.dot(vector), z: matrix.z.dot(vector))
  }

  package static func * (matrix: Matrix3, factor: Double) -> Matrix3 {
    Matrix3(x: matrix.x * factor, y: matrix.y * factor, z: matrix.z * factor)
  }

  package static func + (left: Matrix3, right: Matrix3) -> Matrix3 {
    Matrix3(x: left.x + right.x, y: left.y + right.y, z: left.z + right.z)
  }
}

extension Double {
  /// Reads a finite number, possibly with white space around it.
  init?(trimmed text: some StringProtocol) {
    let start = text.drop(while: \.isWhitespace)
    guard let end = start.lastIndex(where: { !$0.isWhitespace }),
      let number = Double(start[...end]), number.isFinite
    else { return nil }
    self = number
  }
}
