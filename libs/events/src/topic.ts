/** What the log itself knows about a kind of event; every `EventDefinition` fits. */
export interface Topic {
  readonly topic: string;
  readonly compacted: boolean;
  /** `null` keeps for ever. */
  readonly retentionMs: number | null;
}

/** The topic that takes what a topic's groups cannot process, kept as long as the topic itself. */
export function deadTopicOf({ topic, retentionMs }: Topic): Topic {
  return { topic: `${topic}.dead`, compacted: false, retentionMs };
}
