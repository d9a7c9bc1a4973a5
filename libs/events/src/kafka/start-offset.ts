/** What is known of a partition when a member of a group gets it. Each offset is that of the next record. */
export interface PartitionStart {
  /** Of the earliest record that the topic contains. */
  low: bigint;
  /** Of the next record to be appended. */
  high: bigint;
  /** The group's progress in Kafka. */
  committed?: bigint;
  /** The position in the database of the effects. */
  stored?: bigint;
  /** Of the first record that is newer than everything below the stored position. */
  firstNewer?: bigint;
}

/** Where a member starts, and what an operator has to know of it. */
export interface StartOffset {
  offset: bigint;
  /** The topic is not the one in which the position was stored. */
  isOtherTopic?: boolean;
  warning?: string;
}

/**
 * Where to start in a partition. Starting too early repeats effects, which is harmless; starting too late would lose records. So:
 * the lower of position and committed offset, the earliest record where the topic is another one or has removed records, and the
 * committed offset alone where the database has no position, as before its first one.
 */
export function startOf({ low, high, committed, stored, firstNewer }: PartitionStart): StartOffset {
  const inKafka = committed !== undefined && committed >= low && committed <= high ? committed : undefined;
  if (stored === undefined) return { offset: inKafka ?? low };
  if (stored > high || (firstNewer !== undefined && firstNewer < stored)) {
    const warning = `the topic is not the one whose records up to ${stored} were handled: it is read from its beginning at ${low}`;
    return { offset: low, isOtherTopic: true, warning };
  }
  if (stored < low) {
    return { offset: low, warning: `${low - stored} records from ${stored} on were removed from the topic before they were handled` };
  }
  if (inKafka === undefined || stored === inKafka) return { offset: stored };
  if (inKafka < stored) return { offset: inKafka };
  return {
    offset: stored,
    warning: `the database is ${inKafka - stored} records behind the offset ${inKafka} in Kafka: they are handled again from ${stored}`,
  };
}
