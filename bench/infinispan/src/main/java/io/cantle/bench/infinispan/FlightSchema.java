package io.cantle.bench.infinispan;

import io.cantle.bench.Flight;
import org.infinispan.protostream.GeneratedSchema;
import org.infinispan.protostream.annotations.ProtoAdapter;
import org.infinispan.protostream.annotations.ProtoFactory;
import org.infinispan.protostream.annotations.ProtoField;
import org.infinispan.protostream.annotations.ProtoSchema;

/**
 * The schema with which Infinispan sends a {@link Flight}; its annotation processor writes the
 * code.
 *
 * <p><b>Threading:</b> immutable.
 */
@ProtoSchema(
    className = "FlightSchemaContext",
    schemaFileName = "flight.proto",
    schemaPackageName = "bench",
    includeClasses = FlightSchema.FlightAdapter.class)
public interface FlightSchema extends GeneratedSchema {

  /** The fields of a flight. */
  @ProtoAdapter(Flight.class)
  final class FlightAdapter {

    @ProtoFactory
    Flight create(int number, String origin, int hour, int delayMinutes, byte[] payload) {
      return new Flight(number, origin, hour, delayMinutes, payload);
    }

    @ProtoField(number = 1, defaultValue = "0")
    int number(Flight flight) {
      return flight.number();
    }

    @ProtoField(2)
    String origin(Flight flight) {
      return flight.origin();
    }

    @ProtoField(number = 3, defaultValue = "0")
    int hour(Flight flight) {
      return flight.hour();
    }

    @ProtoField(number = 4, defaultValue = "0")
    int delayMinutes(Flight flight) {
      return flight.delayMinutes();
    }

    @ProtoField(5)
    byte[] payload(Flight flight) {
      return flight.payload();
    }
  }
}
