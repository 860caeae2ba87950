package import LocationModel

/// The ellipsoid of a magnetometer's readings while its device is turned in every direction.
///
/// Iron that is fixed to the device moves the center (hard iron) and distorts the sphere (soft
/// iron). Both fits are linear least squares on the quadric's coefficients; points are taken
/// relative to their mean, in units of 50 microtesla, so that the equations stay well conditioned.
package enum EllipsoidFit {
  /// Fits a sphere: only the center is moved. Returns `nil` when the points do not determine one.
  package static func sphere(_ points: [DeviceVector]) -> CompassCalibration? {
    fit(points) { point in
      ([point.x * 2, point.y * 2, point.z * 2, 1], point.dot(point))
    } quadric: { c in
      let center = DeviceVector(x: c[0], y: c[1], z: c[2])
      let square = c[3] + center.dot(center)
      return square > 0 ? (center, .scaled(1 / square)) : nil
    }
  }

  /// Fits an ellipsoid with any axes. Returns `nil` when the points do not determine one.
  package static func ellipsoid(_ points: [DeviceVector]) -> CompassCalibration? {
    fit(points) { p in
      (
        [p.x * p.x, p.y * p.y, p.z * p.z, p.x * p.y, p.x * p.z, p.y * p.z, p.x, p.y, p.z]
          .enumerated().map { $0.offset < 3 ? $0.element : 2 * $0.element }, 1
      )
    } quadric: { c in
      guard let form = Matrix3([c[0], c[3], c[4], c[3], c[1], c[5], c[4], c[5], c[2]]),
        let inverse = form.inverse
      else { return nil }
      let center = inverse * DeviceVector(x: c[6], y: c[7], z: c[8]) * -1
      let level = 1 + center.dot(form * center)
      return level.magnitude > 1e-9 ? (center, form * (1 / level)) : nil
    }
  }

  /// Solves for coefficients; converts them into a center and the form that is 1 on the surface.
  private static func fit(
    _ points: [DeviceVector], row: (DeviceVector) -> ([Double], Double),
    quadric: ([Double]) -> (center: DeviceVector, form: Matrix3)?
  ) -> CompassCalibration? {
    guard let first = points.first else { return nil }
    let sum = points.dropFirst().reduce(first, +)
    let middle = sum * (1 / Double(points.count))
    let rows = points.map { row(($0 - middle) * (1 / unit)) }
    guard let coefficients = leastSquares(rows), let (center, form) = quadric(coefficients),
      let root = form.squareRoot
    else { return nil }
    // The sphere of the same volume preserves the field's magnitude.
    let radius = 1 / cubeRoot(root.determinant)
    var calibration = CompassCalibration(
      offset: middle + center * unit, shape: root * radius, radius: radius * unit, spread: 0)
    calibration.spread = calibration.spread(of: points)
    return calibration.spread.isFinite ? calibration : nil
  }

  /// Microtesla.
  private static let unit = 50.0
}

/// Returns the least-squares solution of all rows; `nil` when it is not determined.
func leastSquares(_ rows: [(terms: [Double], value: Double)]) -> [Double]? {
  guard let size = rows.first?.terms.count, rows.count >= size else { return nil }
  var matrix = [[Double]](repeating: [Double](repeating: 0, count: size + 1), count: size)
  for row in rows {
    for i in 0..<size {
      for j in 0..<size { matrix[i][j] += row.terms[i] * row.terms[j] }
      matrix[i][size] += row.terms[i] * row.value
    }
  }
  return solve(&matrix)
}

/// Solves equations by Gaussian elimination with pivots; their right side is the last column.
private func solve(_ matrix: inout [[Double]]) -> [Double]? {
  let size = matrix.count
  for column in 0..<size {
    let pivot = (column..<size).max { matrix[$0][column].magnitude < matrix[$1][column].magnitude }
    guard let pivot, matrix[pivot][column].magnitude > 1e-10 else { return nil }
    matrix.swapAt(pivot, column)
    for row in 0..<size where row != column {
      let factor = matrix[row][column] / matrix[column][column]
      for k in column...size { matrix[row][k] -= factor * matrix[column][k] }
    }
  }
  return (0..<size).map { matrix[$0][size] / matrix[$0][$0] }
}
