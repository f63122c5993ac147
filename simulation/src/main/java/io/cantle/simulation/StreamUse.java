package io.cantle.simulation;

import java.util.function.Consumer;

/**
 * Every way to stream that is tried.
 *
 * <p><b>Threading:</b> immutable.
 */
enum StreamUse {
  COUNT("count", StreamEnds::count),
  COLLECTOR("collect by a collector", StreamEnds::collector),
  COLLECTED("collect by functions", StreamEnds::collected),
  REDUCED("reduce", StreamEnds::reduced),
  REDUCED_FROM("reduce from an identity", StreamEnds::reducedFrom),
  REDUCED_TO("reduce to another type", StreamEnds::reducedTo),
  MIN("min", StreamEnds::min),
  MAX("max", StreamEnds::max),
  ANY_MATCH("anyMatch", StreamEnds::anyMatch),
  ALL_MATCH("allMatch", StreamEnds::allMatch),
  NONE_MATCH("noneMatch", StreamEnds::noneMatch),
  FIND_ANY("findAny", StreamEnds::findAny),
  FIND_FIRST("findFirst", StreamEnds::findFirst),
  FOR_EACH("forEach", StreamEnds::forEach),
  FOR_EACH_WITH_CACHE("forEach with the cache", StreamEnds::forEachWithCache),
  TO_LIST("toList", StreamEnds::list),
  TO_ARRAY("toArray", StreamEnds::array),
  ITERATOR("iterator", StreamEnds::iterator),
  ITERATOR_CLOSED("iterator that is closed early", StreamEnds::iteratorClosed),
  SUM("mapToInt.sum", StreamEnds::sum),
  SUMMARY("mapToInt.summaryStatistics", StreamEnds::summary),
  SORTED("sorted", StreamStages::sorted),
  SORTED_LIMIT("sorted.limit", StreamStages::sortedLimit),
  DISTINCT("distinct", StreamStages::distinct),
  LIMIT("limit", StreamStages::limit),
  SKIP("skip", StreamStages::skip),
  TAKE_WHILE("takeWhile", StreamStages::takeWhile),
  DROP_WHILE("dropWhile", StreamStages::dropWhile),
  GATHER("gather", StreamStages::gather),
  FLAT_MAP("flatMap", StreamStages::flatMap),
  MAP_MULTI("mapMulti", StreamStages::mapMulti),
  FILTER_KEYS("filterKeys", StreamStages::filterKeys),
  FILTER_SEGMENTS("filterKeySegments", StreamStages::filterSegments),
  AT_MOST_ONCE("disableRehashAware", StreamStages::atMostOnce),
  AT_LEAST_ONCE("delivery at least once", StreamStages::atLeastOnce),
  SMALL_BATCHES("distributedBatchSize", StreamStages::smallBatches),
  SEQUENTIAL("sequentialDistribution", StreamStages::sequential),
  PARALLEL("parallel", StreamStages::parallel),
  COMPLETION("segmentCompletionListener", StreamStages::completion),
  PUBLISHER("publisher", PublisherUses::drained),
  PUBLISHER_OF_STAGES("publisher of stages", PublisherUses::ofStages),
  PUBLISHER_SORTED("publisher at the origin", PublisherUses::atOrigin),
  PUBLISHER_REST("publisher resumed by rest", PublisherUses::resumed),
  PUBLISHER_SPLIT("publisher split", PublisherUses::split),
  PUBLISHER_BY_SEGMENT("publisher by segment", PublisherUses::bySegment),
  PUBLISHER_AT_LEAST("publisher at least once", PublisherUses::atLeastOnce),
  PUBLISHER_AT_MOST("publisher at most once", PublisherUses::atMostOnce),
  PAGES("pages", PageUses::pages);

  private final String word;

  // A method of a class that has no state.
  @SuppressWarnings("ImmutableEnumChecker")
  private final Consumer<StreamCall> body;

  StreamUse(String word, Consumer<StreamCall> body) {
    this.word = word;
    this.body = body;
  }

  /** What its count is called in a report. */
  String figure() {
    return "calls of " + word;
  }

  /** Does it once and checks what came. */
  void run(StreamCall call) {
    body.accept(call);
  }
}
