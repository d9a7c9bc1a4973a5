import { Injectable } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { messageIdToUuid, uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import type { ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import { Database, type Transaction } from '@tidings/persistence/database';
import { isMissingTable } from '@tidings/persistence/errors';
import { CALLBACK_KINDS } from '@tidings/providers/callbacks';
import { kindOf } from '@tidings/providers/kinds';
import { Clock } from '@tidings/runtime/clock';
import { METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import { hasReached, type StatusChange } from '../record/derive-status';
import { MessageCounts } from '../statistics/message-counts';
import { HistoryPublisher } from '../publish/history-publisher';
import { ERASED } from '../record/erased';
import { OpenMessagesNotifier } from '../record/notifiers';
import { messagesOf, referenceName } from '../record/provider-references';
import { type SuppressionReport, Suppressions } from '../suppressions/suppressions';
import { type ChangedMessage, changeMessage } from './change-message';
import { lockReported, type MessageChange, type MessageKey, type ReportedMessage, stepsOf, storeOpen, storeReported } from './event-store';
import { isAbout, type SentTo, sentBy } from './reported-address';

const EVENTS = metrics.counter(METRICS.providerEvents);
for (const provider of CALLBACK_KINDS) metrics.announce(METRICS.providerEvents, { provider, kind: 'DELIVERED', result: 'applied' });

type Result = 'applied' | 'repeated' | 'parked' | 'dropped';

/** Counts events by what became of them. */
export function countEvents(events: readonly ProviderEventReported[], result: Result): void {
  for (const { provider, kind } of events) EVENTS.inc({ provider, kind, result });
}

/** Applies what providers report to the messages. */
@Injectable()
export class ProviderEvents {
  constructor(
    private readonly database: Database,
    private readonly history: HistoryPublisher,
    private readonly openMessages: OpenMessagesNotifier,
    private readonly clock: Clock,
    private readonly suppressions: Suppressions,
    private readonly counts: MessageCounts,
  ) {}

  /**
   * Applies events in one transaction, in which `store` gets those whose message, or whose route of it, is not stored yet. An event that
   * was applied before changes nothing.
   */
  async apply(
    events: readonly ProviderEventReported[],
    store: (tx: Transaction, early: readonly ProviderEventReported[]) => Promise<void>,
  ): Promise<void> {
    if (events.length === 0) return;
    const nowMs = this.clock.now();
    const { applied, early, isDue, changes } = await this.applyIn(async (tx) => {
      const named = await this.named(tx, events);
      const { messages, open } = await lockReported(tx, [...named.keys.values()]);
      const steps = await stepsOf(tx, messages);
      const changed: ChangedMessage[] = [];
      const reports: SuppressionReport[] = named.addressed.flatMap(reportOfAddress);
      const changes: StatusChange[] = [];
      const found = new Set(messages.map(nameOf));
      for (const message of messages) {
        const ofMessage = named.events.get(nameOf(message)) ?? [];
        const sentTo = new Map(
          ofMessage.map(({ configurationId }) => [configurationId, sentBy(steps.get(message.uuid) ?? [], configurationId)]),
        );
        // What a vendor writes about an erased person is not stored again.
        const isErased = message.recipient === ERASED;
        const about = ofMessage.filter((event) => !isErased && isAbout(event, sentTo.get(event.configurationId)));
        const result = changeMessage(message, open.get(message.uuid), about, nowMs);
        changed.push(result);
        if (result.change) changes.push(changeOf(message, result.change, nowMs));
        reports.push(...result.applied.flatMap((event) => reportOf(event, message, sentTo.get(event.configurationId), result)));
      }
      const missing = [...named.events].flatMap(([name, ofMessage]) => (found.has(name) ? [] : ofMessage));
      const tooEarly = [...named.unnamed, ...missing, ...changed.flatMap((one) => one.early)];
      const opened = changed.flatMap((one) => one.open ?? []);
      await storeOpen(tx, opened);
      await this.suppressions.suppress(tx, reports);
      await store(tx, tooEarly);
      // Last: the lock of the history, which every process needs, lasts from here to the commit.
      await storeReported(
        tx,
        changed.flatMap(({ change }) => change ?? []),
        nowMs,
      );
      return {
        applied: [...named.addressed, ...changed.flatMap((one) => one.applied)],
        early: tooEarly,
        changes,
        isDue: opened.some(({ wait_ms }) => wait_ms !== undefined),
      };
    });
    countEvents(applied, 'applied');
    for (const change of changes) this.counts.countChange(change);
    const others = new Set([...applied, ...early]);
    countEvents(
      events.filter((event) => !others.has(event)),
      'repeated',
    );
    if (applied.length > 0) this.history.committed();
    if (isDue) this.openMessages.notifyDueIn(0);
  }

  /** Events wait while a table is missing: the schema is of the version before. */
  private async applyIn<Result>(work: (tx: Transaction) => Promise<Result>): Promise<Result> {
    try {
      return await this.database.transaction(work);
    } catch (error) {
      throw isMissingTable(error) ? unavailable('Events of providers wait for the migrations of this version', error) : error;
    }
  }

  /**
   * The messages that events are about, by their delivery, else by the vendor's own id of the message; `addressed` are about an address
   * alone.
   */
  private async named(tx: Transaction, events: readonly ProviderEventReported[]) {
    const references = events.flatMap(({ workspaceId, configurationId, messageId, reference }) =>
      messageId === undefined && reference !== undefined ? [{ workspaceId, configurationId, reference }] : [],
    );
    const byReference = await messagesOf(tx, references);
    const keys = new Map<string, MessageKey>();
    const byMessage = new Map<string, ProviderEventReported[]>();
    const [unnamed, addressed]: [ProviderEventReported[], ProviderEventReported[]] = [[], []];
    for (const event of events) {
      const { workspaceId, messageId, reference } = event;
      const uuid =
        messageId === undefined ? byReference.get(referenceName({ ...event, reference: reference ?? '' })) : messageIdToUuid(messageId);
      if (uuid === undefined) {
        // Made at the vendor, not in a message.
        (event.kind === 'UNSUBSCRIBED' && event.address !== undefined ? addressed : unnamed).push(event);
        continue;
      }
      const key = { workspaceId, uuid };
      const name = nameOf(key);
      keys.set(name, key);
      byMessage.set(name, [...(byMessage.get(name) ?? []), event]);
    }
    return { keys, events: byMessage, unnamed, addressed };
  }
}

function nameOf({ workspaceId, uuid }: MessageKey) {
  return `${workspaceId} ${uuid}`;
}

/** A delivery counts at the time that its vendor reports, a failure when it is reported. */
function changeOf(
  { workspaceId, status: before, enqueuedAt: sinceMs }: ReportedMessage & { enqueuedAt: number },
  { status: after, delivered_at }: MessageChange,
  nowMs: number,
): StatusChange {
  return { workspaceId, before, after, atMs: hasReached(after, 'DELIVERED') ? Math.min(delivered_at ?? nowMs, nowMs) : nowMs, sinceMs };
}

/** What an event means for the address that the message was sent to. */
function reportOf(
  event: ProviderEventReported,
  { uuid }: MessageKey,
  sentTo: SentTo | undefined,
  { change }: ChangedMessage,
): SuppressionReport[] {
  const reason = reasonOf(event);
  const address = sentTo?.address ?? event.address;
  const route = change?.providers.find(({ configuration_id: id }) => id === event.configurationId);
  if (!reason || address === undefined || !route) return [];
  const { workspaceId, provider: source, configurationId } = event;
  const { channel, sent: sentAt } = route;
  return [{ workspaceId, channel: channel.key, address, reason, source, messageId: uuidToMessageId(uuid), configurationId, sentAt }];
}

/** An unsubscription that names no message of ours. */
function reportOfAddress({ workspaceId, provider, configurationId, address }: ProviderEventReported): SuppressionReport[] {
  const channel = kindOf(provider)?.channels[0];
  if (address === undefined || channel === undefined) return [];
  return [{ workspaceId, channel, address, reason: 'unsubscribe', source: provider, configurationId }];
}

/** What a vendor blocks itself after an opt-out is not suppressed: the vendor ends it when the recipient opts in again. */
function reasonOf({ kind, reasonCode }: ProviderEventReported): SuppressionReport['reason'] | undefined {
  if (kind === 'BOUNCED') return reasonCode === 'SOFT' ? undefined : 'hard_bounce';
  if (kind === 'COMPLAINED') return 'complaint';
  return kind === 'UNSUBSCRIBED' ? 'unsubscribe' : undefined;
}
