package io.cantle.core.replica;

import io.cantle.core.transport.Member;
import java.util.List;

/**
 * Writes another writer has not acknowledged, and the committed index to go with them.
 *
 * <p><b>Threading:</b> immutable.
 */
public record UnacknowledgedWrites(Member member, List<OrderedWrite> writes) {}
