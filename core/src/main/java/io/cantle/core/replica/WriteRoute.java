package io.cantle.core.replica;

import io.cantle.core.transport.Member;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Where a write of a primary goes: to all other writers, or to the one holder of its second copy in
 * a scattered cache.
 *
 * <p><b>Threading:</b> immutable.
 *
 * @param receivers the members it is sent to
 * @param chain what a holder needs to apply it; null if all writers get all writes
 */
public record WriteRoute(List<Member> receivers, @Nullable CopyChain chain) {}
