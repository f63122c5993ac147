package io.cantle.core.replica;

import io.cantle.core.transport.Member;
import java.util.List;

/**
 * Writes that another writer has not acknowledged.
 *
 * <p><b>Threading:</b> immutable.
 */
public record UnacknowledgedWrites(Member member, List<OrderedWrite> writes) {}
