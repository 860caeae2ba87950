"""libgeoclue by GObject introspection: prints the position of its simple client."""
import gi

gi.require_version("Geoclue", "2.0")
from gi.repository import Geoclue  # noqa: E402

simple = Geoclue.Simple.new_sync("example-maps", Geoclue.AccuracyLevel.EXACT, None)
location = simple.get_location()
print(f"position {location.get_property('latitude'):.4f} {location.get_property('longitude'):.4f} "
      f"within {location.get_property('accuracy'):.1f} m", flush=True)
