/** What the log needs of an event definition; every `EventDefinition` fits. */
export interface Topic {
  readonly topic: string;
  readonly compacted: boolean;
  /** `null` retains records forever. */
  readonly retentionMs: number | null;
  /** The service its events come from. */
  readonly from?: string;
  /** Its records name users or have data of them. */
  readonly isPersonal?: boolean;
  /** Has few records, which are read to the end: in Kafka it has one partition, and the latest record of each key survives. */
  readonly isSmall?: true;
}

/** The topic of dead letters, retained as long as the topic itself. */
export function deadTopicOf({ topic, retentionMs, isPersonal }: Topic): Topic {
  return { topic: `${topic}.dead`, compacted: false, retentionMs, isPersonal, isSmall: true };
}
