package io.cantle.simulation.planted;

import java.util.List;

/**
 * The build after this one, as edits of the sources: a read, a replicated write, a reply, a pull, a
 * transfer, a topology and a greeting have one field more in the next version of the messages. A
 * node draws whether it is of this build or of the next one, and draws again when it restarts. So
 * the edits are also an example of how a version is added.
 *
 * <p><b>Threading:</b> immutable.
 */
public final class NextVersion {
  private static final String MISSING =
      "throw new MalformedException(\"the next field is wrong\");";

  static final List<SourceEdit> EDITS =
      List.of(
          new SourceEdit(
              "transport/MessagingService.java",
              "new PeerVersions(PeerVersions.LOWEST, PeerVersions.HIGHEST)",
              "new PeerVersions(7, 7 + (transport.self().id().hashCode() & 1))"),
          new SourceEdit(
              "wire/CallMessage.java",
              "out.writeBoolean(wantsValue); key.write(out);",
              "out.writeBoolean(wantsValue); key.write(out);"
                  + " if (out.version() > 7) { out.writeVarint(segment + 1); }"),
          new SourceEdit(
              "wire/CallMessage.java",
              "return new ReadRequest(in.readLong(), in.readCount(),"
                  + " in.readCount(), in.readBoolean(), ByteSlice.read(in));",
              "ReadRequest request = new ReadRequest(in.readLong(),"
                  + " in.readCount(), in.readCount(),"
                  + " in.readBoolean(), ByteSlice.read(in));"
                  + " if (in.version() > 7 && in.readVarint() != request.segment + 1) {"
                  + MISSING.replace("Malformed", "io.cantle.core.base.Malformed")
                  + "} return request;"),
          new SourceEdit(
              "replica/OrderedWrite.java",
              "out.writeVarint(entry.index()); if (entry.markedStamp() != 0) {",
              "out.writeVarint(entry.index());"
                  + " if (out.version() > 7) { out.writeVarint(entry.index() + 1); }"
                  + " if (entry.markedStamp() != 0) {"),
          new SourceEdit(
              "replica/OrderedWrite.java",
              "long stamp = (flags & WireFlags.STAMPED) != 0 ? in.readLong() : 0;",
              "if (in.version() > 7 && in.readVarint() != index + 1) {"
                  + MISSING.replace("Malformed", "io.cantle.core.base.Malformed")
                  + "} long stamp = (flags & WireFlags.STAMPED) != 0 ? in.readLong() : 0;"),
          new SourceEdit(
              "operation/OperationReply.java",
              "out.writeVarint(found.index());",
              "out.writeVarint(found.index());"
                  + " if (out.version() > 7) { out.writeVarint(found.index() + 1); }"),
          new SourceEdit(
              "operation/OperationReply.java",
              "long index = in.readVarint();",
              "long index = in.readVarint();"
                  + " if (in.version() > 7 && in.readVarint() != index + 1) {"
                  + MISSING
                  + "}"),
          new SourceEdit(
              "ownership/Topology.java",
              "out.writeByte(FORMAT_VERSION); out.writeLong(number);",
              "out.writeByte(FORMAT_VERSION); out.writeLong(number);"
                  + " if (out.version() > 7) { out.writeVarint(number + 1); }"),
          new SourceEdit(
              "ownership/Topology.java",
              "long number = in.readLong();",
              "long number = in.readLong();"
                  + " if (in.version() > 7 && in.readVarint() != number + 1) {"
                  + MISSING
                  + "}"),
          new SourceEdit(
              "wire/TransferRequest.java",
              "segment.write(out); cursor.write(out);",
              "segment.write(out); cursor.write(out);"
                  + " if (out.version() > 7) { out.writeVarint(segment.epoch() + 1L); }"),
          new SourceEdit(
              "wire/TransferRequest.java",
              "return new TransferRequest(SegmentEpoch.read(in), SegmentCursor.read(in));",
              "TransferRequest request ="
                  + " new TransferRequest(SegmentEpoch.read(in), SegmentCursor.read(in));"
                  + " if (in.version() > 7 && in.readVarint() != request.segment.epoch() + 1L) {"
                  + MISSING.replace("Malformed", "io.cantle.core.base.Malformed")
                  + "} return request;"),
          new SourceEdit(
              "wire/PullRequest.java",
              "out.writeVarint(cache);",
              "out.writeVarint(cache); if (out.version() > 7) { out.writeVarint(cache + 1L); }"),
          new SourceEdit(
              "wire/PullRequest.java",
              "static PullRequest read(Input in) { return new PullRequest(in.readCount(),",
              "private static int readCache(Input in) { int cache = in.readCount();"
                  + " if (in.version() > 7 && in.readVarint() != cache + 1L) {"
                  + MISSING.replace("Malformed", "io.cantle.core.base.Malformed")
                  + "} return cache; }"
                  + " static PullRequest read(Input in) { return new PullRequest(readCache(in),"),
          new SourceEdit(
              "discovery/DiscoveryMessage.java",
              "hello.lineage.write(out);",
              "hello.lineage.write(out);"
                  + " if (out.version() > 7) { out.writeBoolean(!hello.isWritten); }"),
          new SourceEdit(
              "discovery/DiscoveryMessage.java", "GridLineage.read(in),", "readLineage(in),"),
          new SourceEdit(
              "discovery/DiscoveryMessage.java",
              "static DiscoveryMessage read(MessageKind kind, Input in) {",
              "private static GridLineage readLineage(Input in) {"
                  + " GridLineage lineage = GridLineage.read(in);"
                  + " if (in.version() > 7) { in.readBoolean(); } return lineage; }"
                  + " static DiscoveryMessage read(MessageKind kind, Input in) {"),
          new SourceEdit(
              "/simulation/src/main/java/io/cantle/simulation/MessageVersions.java",
              "return false;",
              "return true;"));

  private NextVersion() {}

  /** Returns a bug with which nodes of both builds make up the grids in which it is hunted. */
  static PlantedBug plantedWith(PlantedBug bug) {
    return bug.withHelpers(EDITS);
  }

  /** Returns a name for the edits alone, without a bug. */
  static PlantedBug alone() {
    return new PlantedBug(
        "next-version", "nothing: nodes of the next build", List.of(), EDITS, List.of());
  }
}
