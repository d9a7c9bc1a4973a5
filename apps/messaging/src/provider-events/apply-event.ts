import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import type { ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import type { LeafRecord, LeafStatus, ReportedFailure } from '../record/leaf-record';

/** A leaf after an event, and what the event adds to the history. */
interface AppliedEvent {
  readonly leaf: LeafRecord;
  readonly history: readonly HistoryEvent[];
}

/**
 * Applies an event to the leaf of its delivery; undefined where it says nothing new. The status of the leaf depends on the events that it
 * had, not on their order. Pure.
 */
export function applyEvent(leaf: LeafRecord, event: ProviderEventReported): AppliedEvent | undefined {
  const { kind } = event;
  const at = Math.max(event.at, leaf.sent ?? 0); // vendors' clocks, which often have seconds alone
  const { channel, provider, configuration_id: id } = leaf;
  const of = { ts: at, channel: { id: channel.key }, integration: { id, provider } };
  switch (kind) {
    case 'DELIVERED': {
      if (leaf.delivered !== undefined) return undefined;
      const parts = withPart(leaf, event.reference);
      if (parts.isLast)
        return applied(leaf, { delivered: at, deliveredParts: undefined }, { ...of, type: kind, reference: leaf.reference });
      return parts.isNew ? applied(leaf, { deliveredParts: parts.delivered }) : undefined;
    }
    case 'OPENED':
      return leaf.opened === undefined ? applied(leaf, { opened: at }, { ...of, type: kind }) : undefined;
    case 'CLICKED':
      if (leaf.clicked !== undefined) return undefined;
      return applied(leaf, { clicked: at, opened: Math.min(leaf.opened ?? at, at) }, { ...of, type: kind });
    case 'BOUNCED':
    case 'FAILED': {
      const failure = failureOf(event);
      const isRepeated = leaf.failure && (leaf.failure.reasonCode !== 'SOFT' || failure.reasonCode === 'SOFT');
      if (isRepeated) return undefined;
      const { reason, reasonCode, error } = failure;
      const bounced = kind === 'BOUNCED' ? { bounced: leaf.bounced ?? at } : {};
      return applied(leaf, { failure, ...bounced }, { ...of, type: 'UNDELIVERABLE', error_message: error, reason, reasonCode });
    }
    case 'COMPLAINED':
      return leaf.complained === undefined ? applied(leaf, { complained: at }) : undefined;
    case 'UNSUBSCRIBED':
      return leaf.unsubscribed === undefined ? applied(leaf, { unsubscribed: at }) : undefined;
  }
}

function applied(leaf: LeafRecord, change: Partial<LeafRecord>, ...history: HistoryEvent[]): AppliedEvent {
  const changed = { ...leaf, ...change };
  const { failure } = changed;
  const status = statusOf(changed);
  return {
    leaf: {
      ...changed,
      status,
      ...(failure && { error: failure.error, reason: status === 'UNDELIVERABLE' ? failure.reason : undefined }),
    },
    history,
  };
}

/**
 * A recipient who opened a message has it. A soft failure does not undo a delivery that the provider reported: answers of absent people are
 * reported so.
 */
function statusOf({ status, delivered, opened, clicked, failure, provider }: LeafRecord): LeafStatus {
  if (clicked !== undefined) return 'CLICKED';
  if (opened !== undefined) return 'OPENED';
  const isReported = delivered !== undefined && provider !== ACCEPTS_AS_DELIVERED;
  if (failure && (failure.reasonCode !== 'SOFT' || !isReported)) return 'UNDELIVERABLE';
  return delivered === undefined ? status : 'DELIVERED';
}

/** To a mail server a message is delivered once it accepts it. */
const ACCEPTS_AS_DELIVERED = 'smtp';

function failureOf({ kind, reasonCode, optedOut, details, code, provider }: ProviderEventReported): ReportedFailure {
  const words = details ?? code;
  if (kind === 'BOUNCED') {
    const error = `${provider} reported a ${reasonCode === 'SOFT' ? 'soft' : 'hard'} bounce${words ? `: ${words}` : ''}`;
    return { reason: 'BOUNCED', reasonCode: reasonCode ?? 'HARD', error };
  }
  const error = `${provider} reported that it was not delivered${words ? `: ${words}` : ''}`;
  return { reason: optedOut ? 'UNSUBSCRIBED' : 'FAILED', error };
}

/** The parts of a text that were delivered, with this one. A message without parts is one. */
function withPart({ reference, deliveredParts = [] }: LeafRecord, part = '') {
  const count = Number(reference?.parts ?? 1);
  const isNew = !deliveredParts.includes(part);
  const delivered = isNew ? [...deliveredParts, part] : deliveredParts;
  return { isNew, delivered, isLast: delivered.length >= count };
}
