import type { StoredDecision } from '@tidings/contracts/messaging/decisions';
import { shownInstant, shownRecipient } from '@tidings/contracts/messaging/decision-sentences';
import type { DryRunContent, DryRunRecipient, DryRunRoute, RouteUse } from '@tidings/contracts/messaging/dry-runs';
import type { HistoryEvent } from '@tidings/contracts/messaging/message-history';
import { escalationOf } from '@tidings/contracts/messaging/timing/timeouts';
import type { Prepared } from '../context/preparation';
import type { Step } from '../deliver/make-step';
import { explain, type ExplainedRow } from '../queries/explain/explain';
import { outputOf, type StoredRendering } from '../record/stored-events';
import type { Leaf } from '../record/routing-tree';

/** A step of a message that is not stored. */
export interface PlannedStep {
  readonly item: Prepared;
  readonly step: Step['step'];
}

/** What its planned steps would do with a message: one, or two where it is delayed. Pure. */
export function dryRunOf(steps: readonly [PlannedStep, ...PlannedStep[]]): DryRunRecipient {
  const { item, step } = steps.at(-1)!;
  const { request, verdict, ts } = item;
  const { recipient, userId } = request;
  const rows = steps.map((one, index) => ({ number: index + 1, at: String(one.step.at), events: [...one.step.events] }));
  const events = rows.flatMap((row) => row.events);
  const { sentence, decisions, remedies } = explain(rowOf(steps), rows);
  const routes = verdict.kind === 'routes' ? verdict.tree.leaves.map((leaf) => routeOf(leaf, events)) : [];
  const contents = events.filter(({ type }) => type === 'RENDERED').map(contentOf);
  const isDelayed = steps.length > 1;
  const used = routes.filter(({ use }) => use === 'now').map(({ provider, channel }) => `${provider} on ${channel}`);
  const to = shownRecipient({ userId, recipient, hasSettings: false });
  const escalation = escalationOf(request.timeouts ?? {});
  const isEscalated = escalation && used.length > 0 && routes.some(({ use }) => use === 'fallback');
  return {
    recipient,
    user_id: userId,
    tenant_id: step.tenant_id,
    outcome: used.length === 0 ? 'not_sent' : isDelayed ? 'delayed' : 'sent',
    sentence:
      used.length === 0 ? sentence : `Would be sent to ${to} by ${used.join(' and by ')}${isDelayed ? ` at ${shownInstant(ts)}` : ''}.`,
    decisions,
    remedies,
    routes,
    contents,
    timing: {
      send_at: ts,
      retried_until: events.find(({ type }) => type === 'RENDERED')?.until as number | undefined,
      escalates_at: isEscalated ? ts + escalation.afterMs : undefined,
    },
    warnings: events.flatMap((event) => (event.type === 'RENDERED' ? [] : ((event.warnings as string[] | undefined) ?? []))),
  };
}

/** The row that would be stored, of a message that no provider was called for. */
function rowOf(steps: readonly PlannedStep[]): ExplainedRow {
  const { request } = steps[0]!.item;
  const { uuid, status, reason, error, providers, tenant_id } = steps.at(-1)!.step;
  return {
    id: uuid,
    status,
    recipient: request.recipient,
    event: request.event,
    notification: '',
    enqueued_at: String(request.requestedAt),
    sent_at: null,
    delivered_at: null,
    opened_at: null,
    clicked_at: null,
    canceled_at: null,
    reason: reason ?? null,
    error: error ?? null,
    tags: null,
    list_id: request.list?.id ?? null,
    request_id: null,
    job_id: null,
    idempotency_key: null,
    providers: providers ? [...providers] : null,
    archived: false,
    tenant_id: tenant_id ?? null,
    open_due_at: null,
  };
}

function routeOf(leaf: Leaf, events: readonly HistoryEvent[]): DryRunRoute {
  const { channel, provider, integration: configuration_id } = leaf;
  return { channel, provider, configuration_id, use: useOf(leaf, events) };
}

function useOf({ channel, integration }: Leaf, events: readonly HistoryEvent[]): RouteUse {
  const has = (type: HistoryEvent['type']) =>
    events.some((event) => {
      const of = event as { channel?: { id: string }; integration?: { id: string } };
      return event.type === type && of.channel?.id === channel && of.integration?.id === integration;
    });
  if (has('RENDERED')) return 'now';
  if (has('UNDELIVERABLE')) return 'failed';
  const decided = events.flatMap((event) => (event.decided as StoredDecision[] | undefined) ?? []);
  const isSkipped = decided.some((one) => one.code === 'skipped' && one.channel === channel && one.configuration === integration);
  return isSkipped ? 'skipped' : 'fallback';
}

function contentOf(event: HistoryEvent): DryRunContent {
  const {
    channel,
    integration,
    warnings = [],
  } = event as unknown as {
    channel: { id: string };
    integration: { provider: string };
    warnings?: string[];
  };
  return { channel: channel.id, provider: integration.provider, content: outputOf(event as unknown as StoredRendering), warnings };
}
