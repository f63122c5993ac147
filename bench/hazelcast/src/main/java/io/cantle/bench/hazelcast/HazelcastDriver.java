package io.cantle.bench.hazelcast;

import com.hazelcast.config.Config;
import com.hazelcast.config.InMemoryFormat;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.MapConfig;
import com.hazelcast.config.NetworkConfig;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.BuildInfoProvider;
import com.hazelcast.map.IMap;
import com.hazelcast.query.Predicate;
import io.cantle.bench.Driver;
import io.cantle.bench.Flight;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The driver of Hazelcast: a map with synchronous backups that keeps objects.
 *
 * <p><b>Threading:</b> as {@link Driver} says.
 */
public final class HazelcastDriver implements Driver {
  private static final Predicate<String, Flight> DELAYED = entry -> entry.getValue().isDelayed();

  private final List<IMap<String, Flight>> maps = new ArrayList<>();

  @Override
  public String version() {
    return BuildInfoProvider.getBuildInfo().getVersion();
  }

  @Override
  public void start(int nodes, int owners, int firstPort) {
    String cluster = "bench-" + UUID.randomUUID();
    List<HazelcastInstance> members = new ArrayList<>();
    for (int node = 0; node < nodes; node++) {
      members.add(
          Hazelcast.newHazelcastInstance(
              config(cluster, owners, firstPort + node, firstPort, nodes)));
    }
    if (members.getFirst().getCluster().getMembers().size() != nodes) {
      throw new IllegalStateException("not all of " + nodes + " members met");
    }
    // Only now: the first map assigns the partitions, and later members would make them move.
    members.forEach(member -> maps.add(member.getMap("flights")));
  }

  private static Config config(String cluster, int owners, int port, int firstPort, int nodes) {
    var config = new Config();
    config.setClusterName(cluster);
    config.setProperty("hazelcast.phone.home.enabled", "false");
    config.setProperty("hazelcast.logging.type", "jdk");
    config.setProperty("hazelcast.socket.bind.any", "false");
    NetworkConfig network = config.getNetworkConfig();
    network.setPort(port).setPortAutoIncrement(false);
    network.getInterfaces().setEnabled(true).addInterface("127.0.0.1");
    JoinConfig join = network.getJoin();
    join.getAutoDetectionConfig().setEnabled(false);
    join.getMulticastConfig().setEnabled(false);
    join.getTcpIpConfig().setEnabled(true);
    for (int node = 0; node < nodes; node++) {
      join.getTcpIpConfig().addMember("127.0.0.1:" + (firstPort + node));
    }
    config
        .getSerializationConfig()
        .getCompactSerializationConfig()
        .addSerializer(new FlightSerializer());
    config.addMapConfig(
        new MapConfig("flights")
            .setBackupCount(owners - 1)
            .setInMemoryFormat(InMemoryFormat.OBJECT));
    return config;
  }

  @Override
  public void load(Map<String, Flight> entries) {
    maps.getFirst().setAll(entries);
  }

  @Override
  public Iterator<Map.Entry<String, Flight>> iterate(int node) {
    return maps.get(node).entrySet().iterator();
  }

  @Override
  public long size(int node) {
    return maps.get(node).size();
  }

  @Override
  public Map<Integer, Long> delayedByHour(int node) {
    return maps.get(node).aggregate(new CountByHour(), DELAYED);
  }

  @Override
  public @Nullable Flight get(int node, String key) {
    return maps.get(node).get(key);
  }

  @Override
  public @Nullable Flight put(int node, String key, Flight value) {
    return maps.get(node).put(key, value);
  }

  @Override
  public void set(int node, String key, Flight value) {
    maps.get(node).set(key, value);
  }
}
