package io.cantle.bench.hazelcast;

import com.hazelcast.nio.serialization.compact.CompactReader;
import com.hazelcast.nio.serialization.compact.CompactSerializer;
import com.hazelcast.nio.serialization.compact.CompactWriter;
import io.cantle.bench.Flight;
import java.util.Objects;

/**
 * The serializer with which Hazelcast sends a {@link Flight}: Compact, written by hand so that it
 * needs no reflection.
 *
 * <p><b>Threading:</b> immutable.
 */
final class FlightSerializer implements CompactSerializer<Flight> {

  @Override
  public Flight read(CompactReader reader) {
    return new Flight(
        reader.readInt32("number"),
        Objects.requireNonNull(reader.readString("origin")),
        reader.readInt32("hour"),
        reader.readInt32("delayMinutes"),
        Objects.requireNonNull(reader.readArrayOfInt8("payload")));
  }

  @Override
  public void write(CompactWriter writer, Flight flight) {
    writer.writeInt32("number", flight.number());
    writer.writeString("origin", flight.origin());
    writer.writeInt32("hour", flight.hour());
    writer.writeInt32("delayMinutes", flight.delayMinutes());
    writer.writeArrayOfInt8("payload", flight.payload());
  }

  @Override
  public String getTypeName() {
    return "flight";
  }

  @Override
  public Class<Flight> getCompactClass() {
    return Flight.class;
  }
}
