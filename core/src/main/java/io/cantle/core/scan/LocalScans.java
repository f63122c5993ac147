package io.cantle.core.scan;

import io.cantle.ContainerKind;
import io.cantle.core.agreement.Lease;
import io.cantle.core.container.DecodedObjectCache;
import io.cantle.core.ownership.CacheDefinition;
import io.cantle.core.replica.ExpiryTrigger;
import io.cantle.core.replica.ReplicaContext;
import org.jspecify.annotations.Nullable;

/**
 * Begins scans that the calling thread reads from the replicas of this node.
 *
 * <p><b>Threading:</b> any thread.
 */
public final class LocalScans {
  private final LocalReplicas replicas;
  private final Lease lease;
  private final DecodedObjectCache objects;

  /** Creates scans of the replicas of a node. */
  public LocalScans(
      ReplicaContext context, ExpiryTrigger expiryTrigger, DecodedObjectCache objects) {
    this.replicas = new LocalReplicas(context, expiryTrigger);
    this.lease = context.topologyDriver().lease();
    this.objects = objects;
  }

  /**
   * Begins a scan, if it is of whole entries of a cache that is in the heap and nowhere else.
   *
   * @param holder the iterator that reads this scan; once it is unreachable, what it holds no
   *     longer counts in the metrics
   */
  public @Nullable LocalScan begin(ScanContext context, PullClient.ScanSpec spec, Object holder) {
    CacheDefinition cache = context.topology().caches().get(context.cache()).definition();
    boolean isLocal =
        lease.isHeldEndlessly()
            && spec.task() == null
            && context.keyFilter() == null
            && !cache.isDurable()
            && cache.config().container() != ContainerKind.OFF_HEAP;
    return isLocal ? new LocalScan(context, spec, replicas, lease, objects, holder) : null;
  }
}
