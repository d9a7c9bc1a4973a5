/** A record as an inspection reads it. */
export interface InspectedRecord {
  readonly key: string;
  /** JSON text; `null` is a tombstone. */
  readonly payload: string | null;
  /** When the log appended it, ms since the epoch. */
  readonly appendedAt: number;
  /** The group had handled it when the inspection began. */
  readonly isHandled: boolean;
}

/** Records that follow each other, and where another inspection continues after them. */
export interface InspectedPage {
  readonly records: readonly InspectedRecord[];
  readonly cursor: string;
}

/** Reads what a topic contains for a check, beside the group that handles it: it commits nothing. */
export interface LogInspection {
  /**
   * The records that the topic has now, each partition in order.
   * @param cursor of a page of an earlier inspection, whose records are not read again.
   * @throws ServiceError `unavailable`; the reason of the signal.
   */
  pages(cursor: string | undefined, signal: AbortSignal): AsyncGenerator<InspectedPage>;
  close(): Promise<void>;
}
