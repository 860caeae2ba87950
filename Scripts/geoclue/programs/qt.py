"""Qt's geoclue2 plugin, from Python: prints the first live position. Argument: 5 or 6."""
import importlib
import sys

name = f"PyQt{sys.argv[1]}"
core = importlib.import_module(f"{name}.QtCore")
positioning = importlib.import_module(f"{name}.QtPositioning")

core.QCoreApplication.setApplicationName("example-maps")
application = core.QCoreApplication(sys.argv)
source = positioning.QGeoPositionInfoSource.createSource("geoclue2", application)
if source is None:
    sys.exit("Qt has no plugin for GeoClue")
Source = positioning.QGeoPositionInfoSource
methods = Source if name == "PyQt5" else Source.PositioningMethod
source.setPreferredPositioningMethods(methods.AllPositioningMethods)


def show(info):
    place = info.coordinate()
    kind = positioning.QGeoPositionInfo
    attribute = (kind if name == "PyQt5" else kind.Attribute).HorizontalAccuracy
    # A position that Qt kept from an earlier run has no radius.
    if info.hasAttribute(attribute):
        print(f"position {place.latitude():.4f} {place.longitude():.4f} "
              f"within {info.attribute(attribute):.1f} m", flush=True)
        application.quit()


source.positionUpdated.connect(show)
(source.error if name == "PyQt5" else source.errorOccurred).connect(
    lambda error: print("error", error, flush=True))
source.startUpdates()
print("started", core.QT_VERSION_STR, flush=True)
sys.exit(application.exec_() if name == "PyQt5" else application.exec())
