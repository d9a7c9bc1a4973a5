import type { Dto, ServiceName } from './operation';

export const DAY_MS = 86_400_000;

interface EventDefinitionInput<Payload extends object> {
  /** Topic without the configured prefix, `tidings.message-requests.v1`; the version is part of the name. */
  topic: `tidings.${string}.v${number}`;
  /** Fields of the payload that make the key, the workspace first. Records of one key stay in order. */
  key: readonly ['workspaceId', ...(keyof Payload & string)[]];
  payload: Dto<Payload>;
  /** One line for the reader of the topic's documentation. */
  summary: string;
  /** The service that appends it. Every event of the registry says so. */
  from?: ServiceName;
  /** Who reads it: services of ours, and `consumers` where it is part of the product's interface. Every event of the registry says so. */
  to?: readonly (ServiceName | 'consumers')[];
  /** Only the latest record of a key must survive; a `null` payload (tombstone) removes the key. */
  compacted?: boolean;
  /** How long a record is kept at least, in ms. Default 14 days; `null` keeps for ever (compacted topics). */
  retentionMs?: number | null;
}

/** A fact on a topic. JSON payload, CloudEvents headers. */
export interface EventDefinition<Payload extends object> extends EventDefinitionInput<Payload> {
  readonly compacted: boolean;
  readonly retentionMs: number | null;
  /** The record key of a payload: its key fields joined by `:`. */
  keyOf(payload: Pick<Payload, keyof Payload & string>): string;
}

export function defineEvent<Payload extends { workspaceId: string }>(input: EventDefinitionInput<Payload>): EventDefinition<Payload> {
  return {
    ...input,
    compacted: input.compacted ?? false,
    retentionMs: input.retentionMs === undefined ? 14 * DAY_MS : input.retentionMs,
    keyOf: (payload) => input.key.map((field) => String(payload[field as keyof Payload & string])).join(':'),
  };
}
