/** What the log needs of an event definition; every `EventDefinition` fits. */
export interface Topic {
  readonly topic: string;
  readonly compacted: boolean;
  /** `null` retains records forever. */
  readonly retentionMs: number | null;
  /** The service its events come from. */
  readonly from?: string;
  /** Has the dead letters of another topic. */
  readonly isDead?: true;
}

/** The topic of dead letters, retained as long as the topic itself. */
export function deadTopicOf({ topic, retentionMs }: Topic): Topic {
  return { topic: `${topic}.dead`, compacted: false, retentionMs, isDead: true };
}
