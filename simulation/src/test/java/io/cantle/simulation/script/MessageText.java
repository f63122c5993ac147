package io.cantle.simulation.script;

import io.cantle.core.agreement.Ballot;
import io.cantle.core.agreement.MemberReport;
import io.cantle.core.agreement.RegisterMessage;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.container.SegmentCursor;
import io.cantle.core.ownership.Topology;
import io.cantle.core.replica.OperationResult;
import io.cantle.core.segment.SegmentEpoch;
import io.cantle.core.transport.MessageKind;
import io.cantle.core.wire.CallMessage;
import io.cantle.core.wire.PullRequest;
import io.cantle.core.wire.RebalanceMessage;
import io.cantle.core.wire.ReduceRequest;
import io.cantle.core.wire.ReplicationMessage;
import io.cantle.core.wire.ScanMessage;
import io.cantle.core.wire.ScanTarget;
import io.cantle.core.wire.SegmentIndex;
import io.cantle.core.wire.TransferRequest;
import io.cantle.core.wire.WireMessage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The form in which scripts print messages: all that a reader needs, with names for ids, and
 * nothing that differs between builds.
 *
 * <p>Messages of {@code wire} and {@code agreement} are read by their records. Writes, their
 * replication, reports of recovery and replies have records in packages that scripts cannot see, so
 * they are read here as {@code docs/formats/wire.md} describes their bytes. A message that has
 * another form than the page says is printed as one of an unknown form.
 *
 * <p>Each kind has one line, and a reply has the kind of its request.
 *
 * <p><b>Threading:</b> immutable; the map belongs to the player.
 */
final class MessageText {
  private static final int MAX_COUNT = Integer.MAX_VALUE;

  /** A key or value of scripts begins so: the frozen format, and a string. */
  private static final byte[] STRING_START = {1, 10};

  private final Map<UUID, String> names;
  private final boolean namesSegments;

  /**
   * @param names the names of members, by id
   * @param namesSegments whether there is more than one segment, so that each must be named
   */
  MessageText(Map<UUID, String> names, boolean namesSegments) {
    this.names = names;
    this.namesSegments = namesSegments;
  }

  /** Returns a line for a message. A reply has the kind of its request. */
  String describe(MessageKind kind, @Nullable MessageKind answered, Input in, String caller) {
    try {
      return answered == null
          ? (kind + " " + body(kind, in, caller)).strip()
          : (answered + " reply: " + reply(answered, in)).strip();
    } catch (MalformedException e) {
      return (answered == null ? kind : answered + " reply") + " (of an unknown form)";
    }
  }

  private String body(MessageKind kind, Input in, String caller) {
    return switch (kind) {
      case WRITE -> write(in, caller);
      case BULK_WRITE -> bulkWrite(in);
      case REPLICATE -> replicate(in);
      case EPOCH_ENTERED -> epochEntered(in);
      case CATCH_UP -> catchUp(in);
      case TOPOLOGY -> topology(in.requireEndAfter(Topology.read(in)));
      case PREPARE, PROMISED, ACCEPT, ACCEPTED, DECIDED, REJECTED ->
          registerMessage(RegisterMessage.read(kind, in));
      case REPORT -> report(MemberReport.read(in));
      case RESPONSE, RENEW_LEASE, LEASE_RENEWED, HELLO, JOIN, CUT_OFF, REFUSED, HISTORY -> "";
      case REPLICATE_COPY, COLLECT, COLLECTED, UPDATE_COPIES, COPIES_UPDATED -> "";
      case PULL, REDUCE, COUNT, TRANSFER -> scan(ScanMessage.Request.read(kind, in).body());
      case READ,
          BULK_READ,
          MERGED_REQUEST,
          ACK,
          ACK_REQUEST,
          COMMITTED,
          COMMITTED_REQUEST,
          HEAP,
          ENTER_EPOCH,
          CAUGHT_UP,
          CANCEL ->
          record(WireMessage.read(kind, in));
    };
  }

  // ------------------------------------------------------------------ kinds with a record

  private String record(WireMessage message) {
    return switch (message) {
      case CallMessage.ReadRequest read -> text(read.key().toByteArray());
      case CallMessage.BulkReadRequest bulk ->
          bulk.keys().stream()
              .map(one -> segment(one.segment()) + text(one.key().toByteArray()))
              .collect(Collectors.joining(", "));
      case CallMessage.MergeStatusRequest merged -> "segment " + merged.segment();
      case ReplicationMessage.Acknowledgement ack -> "up to " + indexes(ack.applied());
      case ReplicationMessage.AcknowledgementRequest request -> epoch(request.segment());
      case ReplicationMessage.CommitNotice notice -> "up to " + indexes(notice.committed());
      case ReplicationMessage.CommitQuery query -> epochs(query.segments());
      case ReplicationMessage.HeapNotice notice -> notice.isFull() ? "full" : "room";
      case RebalanceMessage.EpochEntryRequest enter ->
          enter.segments().stream()
              .map(
                  entered ->
                      epoch(entered.segment())
                          + ", knows "
                          + version(entered.knownEpoch(), entered.knownIndex()))
              .collect(Collectors.joining("; "));
      case RebalanceMessage.CatchUpNotice notice -> epoch(notice.segment());
      case ScanMessage.Cancellation cancellation -> "";
    };
  }

  private String scan(ScanMessage.ScanBody body) {
    return switch (body) {
      case PullRequest pull -> targets(pull.targets()) + ", most " + pull.maxElements();
      case ReduceRequest reduce -> targets(reduce.targets());
      case ScanMessage.CountRequest count -> "";
      case TransferRequest transfer ->
          epoch(transfer.segment()) + ", from " + cursor(transfer.cursor());
    };
  }

  private String indexes(List<SegmentIndex> all) {
    return all.stream()
        .map(index -> segment(index.segment()) + version(index.epoch(), index.index()))
        .collect(Collectors.joining(", "));
  }

  private String epochs(List<SegmentEpoch> all) {
    return all.stream().map(this::epoch).collect(Collectors.joining(", "));
  }

  private String targets(List<ScanTarget> targets) {
    return targets.stream()
        .map(target -> segment(target.segment()) + "from " + cursor(target.cursor()))
        .collect(Collectors.joining(", "));
  }

  private String segment(int segment) {
    return namesSegments ? "segment " + segment + " " : "";
  }

  private String epoch(SegmentEpoch segment) {
    return segment(segment.segment()) + "epoch " + segment.epoch();
  }

  private static String version(int epoch, long index) {
    return epoch == 0 ? "nothing" : epoch + "." + index;
  }

  private static String cursor(SegmentCursor cursor) {
    return switch (cursor.kind()) {
      case START -> "the start";
      case AFTER -> text(cursor.key());
      case END -> "the end";
    };
  }

  // ------------------------------------------------------------------ writes

  private static int count(Input in) {
    return in.readCount(MAX_COUNT);
  }

  private String write(Input in, String caller) {
    in.readLong();
    count(in);
    int segment = count(in);
    int epoch = count(in);
    count(in);
    int attempt = count(in);
    in.readVarint();
    long sequence = in.readVarint();
    in.readVarint();
    String key = text(in.readBlob());
    return segment(segment)
        + "epoch "
        + epoch
        + ": "
        + operation(in, key)
        + ", command "
        + caller
        + sequence
        + (attempt > 1 ? ", attempt " + attempt : "");
  }

  private String bulkWrite(Input in) {
    in.readLong();
    count(in);
    in.readVarint();
    int items = count(in);
    List<String> writes = new ArrayList<>();
    int segment = 0;
    int epoch = 0;
    for (int i = 0; i < items; i++) {
      segment = count(in);
      epoch = count(in);
      count(in);
      count(in);
      in.readVarint();
      in.readVarint();
      writes.add(segment(segment) + operation(in, text(in.readBlob())));
    }
    return "epoch " + epoch + ": " + String.join(", ", writes);
  }

  private static String operation(Input in, String key) {
    int code = in.readByte();
    return switch (code) {
      case 1, 2 -> "put " + key + "=" + text(in.readBlob());
      case 3 -> "put if absent " + key + "=" + text(in.readBlob());
      case 4, 5 -> "remove " + key;
      case 6 -> "replace " + key + "=" + text(in.readBlob());
      case 7, 8 -> "set " + key + " if unchanged";
      case 9 -> "apply a function to " + key;
      case 10, 11 -> "set " + key + " if equal";
      case 12, 13 -> "merge " + key;
      case 14 -> {
        in.readVarint();
        in.readVarint();
        yield operation(in, key) + " for a limited time";
      }
      case 15 -> "how far the primary had come";
      default -> "operation " + code;
    };
  }

  private String replicate(Input in) {
    count(in);
    List<String> writes = new ArrayList<>();
    while (in.remaining() > 0) {
      int segment = count(in);
      int epoch = count(in);
      long committed = in.readVarint();
      if (count(in) != 0) {
        count(in);
        count(in);
      }
      writes.add(
          segment(segment)
              + orderedWrite(in, epoch)
              + (committed == 0 ? "" : ", committed up to " + version(epoch, committed)));
    }
    return String.join("; ", writes);
  }

  /** Reads a write that a primary has ordered. */
  private String orderedWrite(Input in, int epoch) {
    int flags = in.readByte() & 0xFF;
    String version = version(epoch, in.readVarint());
    if ((flags & 64) != 0) {
      in.readVarint();
      return version + " tick of the clock";
    }
    if ((flags & 8) != 0) {
      in.readLong();
    }
    if ((flags & 16) != 0) {
      skipExpiry(in);
    }
    String command = "";
    if ((flags & (32 | 128)) == 0) {
      String origin = names.getOrDefault(in.readId(), "?");
      in.readVarint();
      command = " (" + origin + in.readVarint() + ")";
      in.readVarint();
      in.readVarint();
      count(in);
      if ((flags & (2 | 4)) == 0) {
        result(in);
      }
    }
    String key = text(in.readBlob());
    byte[] value = in.readBlob();
    return version
        + " "
        + ((flags & 32) != 0
            ? "read of " + key
            : (flags & 1) != 0 ? "no " + key : key + "=" + text(value))
        + command;
  }

  private static void skipExpiry(Input in) {
    in.readVarint();
    in.readVarint();
    in.readVarint();
  }

  private String writes(Input in, int epoch) {
    int writes = count(in);
    List<String> all = new ArrayList<>();
    for (int i = 0; i < writes; i++) {
      all.add(orderedWrite(in, epoch));
    }
    return String.join(", ", all);
  }

  // ------------------------------------------------------------------ epochs

  private String epochEntered(Input in) {
    List<String> logs = new ArrayList<>();
    while (in.remaining() > 0) {
      String epoch = epoch(SegmentEpoch.read(in));
      count(in);
      int logEpoch = count(in);
      String applied = version(logEpoch, in.readVarint());
      in.readVarint();
      String writes = writes(in, logEpoch);
      logs.add(epoch + ", holds " + applied + (writes.isEmpty() ? "" : ", sends " + writes));
    }
    return String.join("; ", logs);
  }

  private String catchUp(Input in) {
    return epoch(SegmentEpoch.read(in)) + ": " + writes(in, count(in));
  }

  // ------------------------------------------------------------------ topologies

  private String ballot(Ballot ballot) {
    return "ballot " + ballot.counter() + name(ballot.proposer());
  }

  private String name(UUID member) {
    return names.getOrDefault(member, "?");
  }

  private static String topology(Topology topology) {
    return "topology " + topology.number();
  }

  private String registerMessage(RegisterMessage message) {
    return switch (message) {
      case RegisterMessage.Prepare(Ballot ballot, Topology base) ->
          ballot(ballot) + ", after " + topology(base);
      case RegisterMessage.Promised promised ->
          ballot(promised.ballot())
              + (promised.accepted() == null
                  ? ""
                  : ", has accepted " + topology(promised.accepted()));
      case RegisterMessage.Accept accept ->
          ballot(accept.ballot()) + ", " + topology(accept.next());
      case RegisterMessage.Accepted(long number, Ballot ballot) ->
          ballot(ballot) + ", topology " + number;
      case RegisterMessage.Decided(long number, Ballot ballot) ->
          ballot(ballot) + ", topology " + number;
      case RegisterMessage.Rejected(Ballot higher) -> "promised " + ballot(higher);
    };
  }

  private String report(MemberReport report) {
    return switch (report) {
      case MemberReport.SegmentReceived(SegmentEpoch epoch) -> "received " + epoch(epoch);
      case MemberReport.LeaveRequested() -> "wants to leave";
      case MemberReport.CacheRequested wanted -> "wants a cache";
      case MemberReport.DestroyRequested destroy -> "wants cache " + destroy.cache() + " destroyed";
      case MemberReport.WriteRequested() -> "wants to write";
      case MemberReport.SuspensionRequested suspension -> "rebalancing";
      case MemberReport.LossAccepted(SegmentEpoch epoch) -> "gives up " + epoch(epoch);
      case MemberReport.MemberUnresponsive(UUID member) -> "no answer from " + name(member);
      case MemberReport.EpochOpened(SegmentEpoch epoch) -> "has opened " + epoch(epoch);
      case MemberReport.ReplicaDropped(SegmentEpoch epoch) -> "has dropped " + epoch(epoch);
    };
  }

  // ------------------------------------------------------------------ replies

  private String reply(MessageKind answered, Input in) {
    return switch (answered) {
      case READ, WRITE -> operationReply(in);
      case BULK_READ -> bulkReadReply(in);
      case BULK_WRITE -> bulkReply(in);
      case TRANSFER -> transferReply(in);
      case PULL -> pullReply(in);
      case REDUCE -> in.readByte() == 1 ? "a partial result" : "refused";
      case COUNT -> in.readByte() == 1 ? Long.toString(in.readVarint()) : "refused";
      default -> "";
    };
  }

  private static String operationReply(Input in) {
    int code = in.readByte();
    return switch (code) {
      case 0 -> {
        count(in);
        yield in.readBoolean() ? "refused, the epoch is over" : "refused";
      }
      case 1 -> {
        count(in);
        yield result(in);
      }
      case 2 -> {
        int epoch = count(in);
        int writer = count(in) + 1;
        int writers = count(in);
        yield "held by writer "
            + writer
            + " of "
            + writers
            + " of epoch "
            + epoch
            + (in.readBoolean() ? ", result " + result(in) : "");
      }
      case 3 -> {
        String version = version(count(in), in.readVarint());
        String found = result(in);
        yield found.equals("none") ? found : found + " (version " + version + ")";
      }
      case 4 -> "a function threw";
      case 5 -> "in doubt";
      case 6 -> "the disk is full";
      default -> "reply " + code;
    };
  }

  private static String result(Input in) {
    int code = in.readByte();
    return switch (code) {
      case 0 -> "none";
      case 1 -> text(in.readBlob());
      case 2 -> "true";
      case 3 -> "false";
      default -> "failed";
    };
  }

  private static String bulkReadReply(Input in) {
    int found = 0;
    int absent = 0;
    int open = 0;
    while (in.remaining() > 0) {
      OperationResult result = in.readOptional(OperationResult::read);
      if (result == null) {
        open++;
      } else if (result.hasValue()) {
        found++;
      } else {
        absent++;
      }
    }
    return found + " found, " + absent + " absent" + (open == 0 ? "" : ", " + open + " open");
  }

  private static String bulkReply(Input in) {
    boolean leased = in.readBoolean();
    int refused = skipVarints(in);
    int unmade = skipVarints(in);
    int doubtful = skipVarints(in);
    return (leased ? "done" : "done without a lease")
        + (refused == 0 ? "" : ", " + refused + " refused")
        + (unmade == 0 ? "" : ", " + unmade + " not made")
        + (doubtful == 0 ? "" : ", " + doubtful + " in doubt");
  }

  private static int skipVarints(Input in) {
    int size = count(in);
    for (int i = 0; i < size; i++) {
      in.readVarint();
    }
    return size;
  }

  private static String transferReply(Input in) {
    if (in.readByte() != 1 || in.readVarint() == 0) {
      return "refused";
    }
    int size = in.readInt();
    Input block = in.slice(in.readInt());
    int status = in.readByte();
    if (status != 1 && status != 2) {
      return "refused";
    }
    List<String> entries = new ArrayList<>();
    for (int i = 0; i < size; i++) {
      String version = version(count(block), block.readVarint());
      block.readLong();
      int form = block.readByte();
      if (form == 2) {
        skipExpiry(block);
      }
      int keyLength = count(block);
      Input entry = new Input(block.readBlob());
      String key = text(entry.readBytes(keyLength));
      String value = text(entry.readBytes(entry.remaining()));
      entries.add(version + " " + (form == 1 ? "no " + key : key + "=" + value));
    }
    return (entries.isEmpty() ? "no entries" : String.join(", ", entries))
        + (status == 1 ? ", that is all" : ", more");
  }

  private String pullReply(Input in) {
    if (in.readByte() != 1) {
      return "refused";
    }
    List<String> blocks = new ArrayList<>();
    for (long segment = in.readVarint(); segment > 0; segment = in.readVarint()) {
      int elements = in.readInt();
      in.skip(in.readInt());
      int status = in.readByte();
      String cursor =
          switch (status) {
            case 2, 3, 5, 7 -> cursor(SegmentCursor.read(in));
            default -> "";
          };
      if (status == 5) {
        count(in);
      }
      blocks.add(
          segment((int) segment - 1)
              + elements
              + (elements == 1 ? " entry, " : " entries, ")
              + switch (status) {
                case 0 -> "not served here";
                case 1 -> "that is all";
                case 2, 7 -> "more after " + cursor;
                case 3 -> "more at the primary after " + cursor;
                default -> "status " + status;
              });
    }
    return String.join("; ", blocks);
  }

  // ------------------------------------------------------------------ keys and values

  /** Returns the text that a key or value is; scripts have no others. */
  static String text(byte[] bytes) {
    if (bytes.length < 2 || bytes[0] != STRING_START[0] || bytes[1] != STRING_START[1]) {
      return "(bytes)";
    }
    Input in = new Input(bytes);
    in.skip(STRING_START.length);
    return in.readString();
  }
}
