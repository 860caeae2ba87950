import LocationEngine
import Testing

/// Section 16 of the behavior document with real apps, a real daemon, and what Linux shows of them.
@Suite("The delivery table, cell by cell", .serialized, .timeLimit(.minutes(10)))
struct DeliveryMatrixTests {
  @Test(
    "section 16: a real app in this state receives what the table says",
    arguments: MatrixCell.all.filter { $0.obstacle == nil })
  func cell(_ cell: MatrixCell) async {
    let fault = await DeliveryMatrix.shared.fault(of: cell)
    #expect(fault == nil)
  }

  @Test(
    "section 16: five cells cannot be run on Linux, and no more are left out",
    .enabled(if: MatrixStage.hasRadio && PlaceIndex.path != nil))
  func leftOut() {
    #expect(MatrixCell.all.count { $0.obstacle != nil } == 5)
  }
}
