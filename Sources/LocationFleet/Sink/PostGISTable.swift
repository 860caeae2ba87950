/// The table that events are inserted into.
package struct PostGISTable: Hashable, Sendable {
  /// In quotation marks, as a name may be a word of SQL.
  private let name: String
  /// What the names of its indexes begin with.
  private let plain: String

  package init(_ name: String) {
    self.name = name.split(separator: ".").map { "\"\($0)\"" }.joined(separator: ".")
    plain = name.replacing(".", with: "_")
  }

  /// Whether a name may be one: NAME or SCHEMA.NAME of lower-case letters, digits, and `_`, of 53 bytes
  /// with the schema, as PostgreSQL keeps 63 of the name of an index.
  package static func isName(_ text: String) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count <= 2 && text.utf8.count <= 53
      && parts.allSatisfy { part in
        part.first?.isNumber == false
          && part.utf8.allSatisfy {
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) || $0 == UInt8(ascii: "_")
              || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0)
          }
      }
  }

  /// What makes it.
  package var schema: String {
    """
    CREATE EXTENSION IF NOT EXISTS postgis;
    CREATE TABLE IF NOT EXISTS \(name) (
      id text PRIMARY KEY,
      tenant text NOT NULL,
      device text NOT NULL,
      kind text NOT NULL,
      fence text,
      date timestamptz NOT NULL,
      decided timestamptz,
      -- The place of a visit, or the newest fix when the event was decided.
      place geography(Point, 4326),
      accuracy double precision,
      event jsonb NOT NULL,
      inserted timestamptz NOT NULL DEFAULT now()
    );
    CREATE INDEX IF NOT EXISTS "\(plain)_by_device" ON \(name) (tenant, device, date);
    CREATE INDEX IF NOT EXISTS "\(plain)_by_place" ON \(name) USING gist (place);
    -- All that the sink's role needs: GRANT INSERT, SELECT (id) ON \(name) TO …;

    """
  }

  /// Inserts the CloudEvents of the array in `$1`, in one transaction; those that are there stay.
  package var insertion: String {
    """
    INSERT INTO \(name) (id, tenant, device, kind, fence, date, decided, place, accuracy, event)
    SELECT e ->> 'id', coalesce(d ->> 'tenant', ''), coalesce(e ->> 'subject', ''), d ->> 'type',
    d ->> 'fence', (e ->> 'time')::timestamptz, (d ->> 'decided')::timestamptz,
    ST_SetSRID(ST_MakePoint(coalesce(d ->> 'longitude', d -> 'fix' ->> 'longitude')::float8,
    coalesce(d ->> 'latitude', d -> 'fix' ->> 'latitude')::float8), 4326)::geography,
    coalesce(d ->> 'horizontal_accuracy', d -> 'fix' ->> 'horizontal_accuracy')::float8, e
    FROM jsonb_array_elements($1::jsonb) AS e, LATERAL (SELECT e -> 'data' AS d) AS data
    ON CONFLICT (id) DO NOTHING
    """
  }

  /// The array of some events.
  package static func array(_ events: [SinkEvent]) -> [UInt8] {
    var bytes = [UInt8(ascii: "[")]
    for event in events {
      if bytes.count > 1 { bytes.append(UInt8(ascii: ",")) }
      bytes += event.json
    }
    return bytes + [UInt8(ascii: "]")]
  }

  /// What a fault with this SQLSTATE means: wrong data are refused for good; what concerns the connection,
  /// the table, or the server, all events; anything else, perhaps this one, and its text may name values.
  package static func outcome(state: String, message: String) -> DeliveryOutcome {
    // The table is not there.
    if state == "42P01" {
      let step = "next: locationfleet sink postgis --schema | psql"
      return .unreachable("\(message); \(step)", after: nil)
    }
    return switch state.prefix(2) {
    case "22", "23": .refused("SQLSTATE \(state)")
    case "", "08", "28", "3D", "42", "53", "57": .unreachable(message, after: nil)
    default: .failed("SQLSTATE \(state)", after: nil)
    }
  }
}
