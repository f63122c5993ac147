package io.cantle.simulation;

import java.util.function.Consumer;

/**
 * Every use of streams that is tried.
 *
 * <p><b>Threading:</b> immutable.
 */
enum StreamUseCase {
  COUNT("count", TerminalOperationUseCases::count),
  COLLECTOR("collect by a collector", TerminalOperationUseCases::collector),
  COLLECTED("collect by functions", TerminalOperationUseCases::collectAll),
  REDUCED("reduce", TerminalOperationUseCases::reduce),
  REDUCED_FROM("reduce from an identity", TerminalOperationUseCases::reduceFrom),
  REDUCED_TO("reduce to another type", TerminalOperationUseCases::reduceTo),
  MIN("min", TerminalOperationUseCases::min),
  MAX("max", TerminalOperationUseCases::max),
  ANY_MATCH("anyMatch", TerminalOperationUseCases::anyMatch),
  ALL_MATCH("allMatch", TerminalOperationUseCases::allMatch),
  NONE_MATCH("noneMatch", TerminalOperationUseCases::noneMatch),
  FIND_ANY("findAny", TerminalOperationUseCases::findAny),
  FIND_FIRST("findFirst", TerminalOperationUseCases::findFirst),
  FOR_EACH("forEach", TerminalOperationUseCases::forEach),
  FOR_EACH_WITH_CACHE("forEach with the cache", TerminalOperationUseCases::forEachWithCache),
  TO_LIST("toList", TerminalOperationUseCases::toList),
  TO_ARRAY("toArray", TerminalOperationUseCases::toArray),
  ITERATOR("iterator", TerminalOperationUseCases::iterator),
  ITERATOR_CLOSED("iterator that is closed early", TerminalOperationUseCases::closeIterator),
  SUM("mapToInt.sum", TerminalOperationUseCases::sum),
  SUMMARY("mapToInt.summaryStatistics", TerminalOperationUseCases::summary),
  SORTED("sorted", StageUseCases::sorted),
  SORTED_LIMIT("sorted.limit", StageUseCases::sortedLimit),
  DISTINCT("distinct", StageUseCases::distinct),
  LIMIT("limit", StageUseCases::limit),
  SKIP("skip", StageUseCases::skip),
  TAKE_WHILE("takeWhile", StageUseCases::takeWhile),
  DROP_WHILE("dropWhile", StageUseCases::dropWhile),
  GATHER("gather", StageUseCases::gather),
  FLAT_MAP("flatMap", StageUseCases::flatMap),
  MAP_MULTI("mapMulti", StageUseCases::mapMulti),
  FILTER_KEYS("filterKeys", StageUseCases::filterKeys),
  FILTER_SEGMENTS("filterKeySegments", StageUseCases::filterSegments),
  AT_MOST_ONCE("disableRehashAware", StageUseCases::atMostOnce),
  AT_LEAST_ONCE("delivery at least once", StageUseCases::atLeastOnce),
  SMALL_BATCHES("distributedBatchSize", StageUseCases::smallBatches),
  SEQUENTIAL("sequentialDistribution", StageUseCases::sequential),
  PARALLEL("parallel", StageUseCases::parallel),
  COMPLETION("segmentCompletionListener", StageUseCases::completion),
  PUBLISHER("publisher", PublisherUseCases::assertDrained),
  PUBLISHER_OF_STAGES("publisher of stages", PublisherUseCases::drainStages),
  PUBLISHER_SORTED("publisher at the origin", PublisherUseCases::drainAtOrigin),
  PUBLISHER_REST("publisher resumed by rest", PublisherUseCases::drainResumed),
  PUBLISHER_SPLIT("publisher split", PublisherUseCases::drainSplit),
  PUBLISHER_BY_SEGMENT("publisher by segment", PublisherUseCases::drainBySegment),
  PUBLISHER_AT_LEAST("publisher at least once", PublisherUseCases::drainAtLeastOnce),
  PUBLISHER_AT_MOST("publisher at most once", PublisherUseCases::drainAtMostOnce),
  PAGES("pages", PageUseCases::readAllPages);

  private final String word;

  // A method of a class without state.
  @SuppressWarnings("ImmutableEnumChecker")
  private final Consumer<StreamUseAttempt> action;

  StreamUseCase(String word, Consumer<StreamUseAttempt> action) {
    this.word = word;
    this.action = action;
  }

  /** Returns the name of its count in a report. */
  String figureName() {
    return "calls of " + word;
  }

  /** Runs the use once and checks the result. */
  void run(StreamUseAttempt call) {
    action.accept(call);
  }
}
