import { withIds } from '@tidings/tracing/work-ids';
import { isTracing, withSpan } from '@tidings/tracing/spans';
import type { LeasedDelivery } from './leased-delivery';

/** Outcomes of an attempt after which the message has not been sent by it. */
const UNSENT = new Set(['retry', 'failed', 'not-attempted']);

/**
 * Makes an attempt at a delivery with the ids of its message in the log and, if that is traced, within a span: one for each attempt, so
 * that retries and the routes that follow stand beside each other in the trace of the send.
 */
export function attemptWithIds<Outcome extends { readonly kind: string }>(
  delivery: LeasedDelivery,
  attempt: () => Promise<Outcome>,
): Promise<Outcome> {
  const { messageId, workspaceId, trace, provider, channel, leaf, attempt: number } = delivery;
  if (!trace || !isTracing()) return withIds({ messageId, workspaceId, trace }, attempt);
  const attributes = {
    'tidings.message_id': messageId,
    'tidings.workspace_id': workspaceId,
    'tidings.channel': channel,
    'tidings.provider': provider,
    'tidings.route': leaf,
    'tidings.attempt': number,
  };
  return withSpan({ name: `call provider ${provider}`, kind: 'client', parent: trace, attributes }, async (span) => {
    const outcome = await withIds({ messageId, workspaceId, trace: span?.context }, attempt);
    span?.set({ 'tidings.outcome': outcome.kind });
    if (UNSENT.has(outcome.kind)) span?.fail(outcome.kind);
    return outcome;
  });
}
