import { DAY_MS } from './duration';
import type { Dto, ServiceName } from './operation';

interface EventDefinitionInput<Payload extends object> {
  /** Topic without the configured prefix, `tidings.message-requests.v1`; the version is part of the name. */
  topic: `tidings.${string}.v${number}`;
  /** Payload fields that form the key, the workspace first. Records of one key are in order. */
  key: readonly ['workspaceId', ...(keyof Payload & string)[]];
  payload: Dto<Payload>;
  /** One line for the reader of the topic's documentation. */
  summary: string;
  /** The service that appends it. Set in every event of the registry. */
  from?: ServiceName;
  /** Other services that append it too. */
  alsoFrom?: readonly ServiceName[];
  /** Its consumers: services, and `consumers` if it belongs to the product's interface. Set in every event of the registry. */
  to?: readonly (ServiceName | 'consumers')[];
  /** Whether its records name users or have data of them: an erasure removes these, or names the topic. */
  isPersonal?: boolean;
  /** Only the latest record of a key must survive; a `null` payload (tombstone) removes the key. */
  compacted?: boolean;
  /** Minimum retention of a record, in ms. Default 14 days; `null`: forever (compacted topics). */
  retentionMs?: number | null;
}

/** An event on a topic, with a JSON payload and CloudEvents headers. */
export interface EventDefinition<Payload extends object> extends EventDefinitionInput<Payload> {
  readonly compacted: boolean;
  readonly retentionMs: number | null;
  /** The record key of a payload: its key fields joined by `:`. */
  keyOf(payload: Pick<Payload, keyof Payload & string>): string;
}

/** Completes a definition with its defaults and `keyOf`. */
export function defineEvent<Payload extends { workspaceId: string }>(input: EventDefinitionInput<Payload>): EventDefinition<Payload> {
  return {
    ...input,
    compacted: input.compacted ?? false,
    retentionMs: input.retentionMs === undefined ? 14 * DAY_MS : input.retentionMs,
    keyOf: (payload) => input.key.map((field) => String(payload[field as keyof Payload & string])).join(':'),
  };
}
