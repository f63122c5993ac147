package io.cantle.core.wire;

import io.cantle.CacheConfig;
import io.cantle.core.base.FunctionChain;
import io.cantle.core.base.Input;
import io.cantle.core.base.MalformedException;
import io.cantle.core.base.Output;
import io.cantle.core.segment.SegmentSet;
import io.cantle.core.transport.Message;
import io.cantle.core.transport.MessageKind;
import org.jspecify.annotations.Nullable;

/**
 * A message of a scan to an owner.
 *
 * <p><b>Threading:</b> immutable.
 */
public sealed interface ScanMessage extends Message {

  /**
   * A request of a scan.
   *
   * @param topologyNumber the topology that the caller went by
   * @param scanNumber the number of the scan at its caller; owners serve scans in turn
   * @param callers the functions from which the scan is called
   * @param body what is requested
   */
  record Request(long topologyNumber, long scanNumber, FunctionChain callers, ScanBody body)
      implements ScanMessage {
    /** Creates a request that no function has caused. */
    public Request(long topologyNumber, long scanNumber, ScanBody body) {
      this(topologyNumber, scanNumber, FunctionChain.NONE, body);
    }

    @Override
    public MessageKind kind() {
      return switch (body) {
        case PullRequest _ -> MessageKind.PULL;
        case ReduceRequest _ -> MessageKind.REDUCE;
        case CountRequest _ -> MessageKind.COUNT;
        case TransferRequest _ -> MessageKind.TRANSFER;
      };
    }

    @Override
    public int expectedBytes() {
      return 512;
    }

    @Override
    public void write(Output out) {
      out.writeLong(topologyNumber);
      out.writeVarint(scanNumber);
      callers.write(out);
      body.write(out);
    }

    /**
     * Reads what {@link #write} wrote.
     *
     * @throws MalformedException if the bytes are not exactly a request of this kind
     */
    public static Request read(MessageKind kind, Input in) {
      return in.requireEndAfter(
          new Request(
              in.readLong(),
              in.readVarint(),
              FunctionChain.read(in),
              switch (kind) {
                case PULL -> PullRequest.read(in);
                case REDUCE -> ReduceRequest.read(in);
                case COUNT -> CountRequest.read(in);
                case TRANSFER -> TransferRequest.read(in);
                default -> throw new IllegalArgumentException(kind + " requests no scan");
              }));
    }
  }

  /** What a scan requests of an owner. */
  sealed interface ScanBody permits EntryRequest, CountRequest {
    /** Writes everything. */
    void write(Output out);
  }

  /** A request for something that is made of entries. */
  sealed interface EntryRequest extends ScanBody
      permits PullRequest, ReduceRequest, TransferRequest {
    /** What to make of the entries, or null. */
    byte @Nullable [] task();

    /** Whether what was made counts although the owner lost the segment meanwhile. */
    boolean keepsAfterMove();
  }

  /**
   * Asks for the number of entries.
   *
   * @param cache the index of the cache in the topology
   * @param segments the segments to count
   */
  record CountRequest(int cache, SegmentSet segments) implements ScanBody {
    @Override
    public void write(Output out) {
      out.writeVarint(cache);
      segments.write(out);
    }

    static CountRequest read(Input in) {
      return new CountRequest(in.readCount(), SegmentSet.read(in, CacheConfig.MAX_SEGMENTS));
    }
  }

  /** The response to a request of this number is no longer needed. */
  record Cancellation(long request) implements ScanMessage, WireMessage {
    @Override
    public void write(Output out) {
      out.writeVarint(request);
    }

    static Cancellation read(Input in) {
      return new Cancellation(in.readVarint());
    }
  }
}
