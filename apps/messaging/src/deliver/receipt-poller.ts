import { createHash } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { MINUTE_MS } from '@tidings/contracts/core/duration';
import { uuidToMessageId } from '@tidings/contracts/messaging/message-id';
import { PROVIDER_EVENT_LENGTHS, type ProviderEventReported, providerEventReported } from '@tidings/contracts/messaging/provider-events';
import type { EventLog } from '@tidings/events/event-log';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database } from '@tidings/persistence/database';
import { orIfMissingTable } from '@tidings/persistence/errors';
import type { PushReceipt } from '@tidings/providers/provider';
import { RECEIPTS_MAX } from '@tidings/providers/provider-kind';
import { Clock } from '@tidings/runtime/clock';
import { EVENT_LOG } from '@tidings/runtime/resources.module';
import { type ProviderConfiguration, ProviderConfigurations } from '../providers/provider-configurations';
import { ProviderPauses } from '../providers/provider-pauses';
import { claimTickets, type DueTicket, failTickets, FIRST_OWNER, ownerName, removeTickets } from '../record/provider-tickets';
import { storable } from '../record/storable';
import { TokenReporter } from './token-reporter';

const INTERVAL_MS = MINUTE_MS;
/** More than the time limit of a call. */
const CALL_MS_MAX = 15_000;
/** Configurations whose receipts are requested at once. */
const OWNERS_AT_ONCE = 8;

/**
 * Asks push services what became of the messages that they accepted, a while later. What they say is an event like those of callbacks.
 * Configurations are served round-robin; one whose push service does not answer waits for the next round.
 */
@Injectable()
export class ReceiptPoller extends Sweeper {
  private readonly logger = new Logger(ReceiptPoller.name);
  private after = FIRST_OWNER;
  /** Configurations that are left out for the rest of the round, by `ownerName`. */
  private readonly waiting = new Set<string>();

  constructor(
    private readonly database: Database,
    private readonly configurations: ProviderConfigurations,
    private readonly pauses: ProviderPauses,
    private readonly tokens: TokenReporter,
    private readonly clock: Clock,
    @Inject(EVENT_LOG) private readonly events: EventLog,
  ) {
    super({ queue: 'messaging.provider_tickets', what: 'Asking for receipts of push messages', intervalMs: INTERVAL_MS });
  }

  override sweep(): Promise<undefined> {
    this.waiting.clear();
    return super.sweep();
  }

  protected async step(): Promise<boolean | 'failed'> {
    let tickets = await this.claim();
    if (tickets.length === 0 && this.after !== FIRST_OWNER) {
      this.after = FIRST_OWNER;
      tickets = await this.claim();
    }
    const owned = new Map<string, DueTicket[]>();
    for (const one of tickets) owned.set(ownerName(one), [...(owned.get(ownerName(one)) ?? []), one]);
    const names = [...owned.keys()].sort();
    this.after = names.length < OWNERS_AT_ONCE ? FIRST_OWNER : owned.get(names.at(-1)!)![0]!;
    const results = await Promise.allSettled([...owned.values()].map((own) => this.process(own)));
    const rejected = results.find(({ status }) => status === 'rejected');
    if (rejected) throw (rejected as PromiseRejectedResult).reason;
    return results.length > 0 && (results.some((one) => one.status === 'fulfilled' && one.value) || 'failed');
  }

  private claim() {
    const { after } = this;
    const limits = { owners: OWNERS_AT_ONCE, tickets: RECEIPTS_MAX };
    return orIfMissingTable(claimTickets(this.database, { after, except: [...this.waiting], ...limits }), []);
  }

  /** Resolves with whether the push service answered for these tickets of one configuration. */
  private async process(tickets: readonly DueTicket[]): Promise<boolean> {
    const [first] = tickets;
    const configuration = await this.configurations.find(first!.workspaceId, first!.configurationId);
    if (!configuration) {
      await removeTickets(this.database, tickets);
      return true;
    }
    const found = (await this.pauses.isPaused(configuration)) ? undefined : await this.ask(configuration, tickets);
    if (!found) this.waiting.add(ownerName(first!));
    await this.store(
      configuration,
      tickets.flatMap((ticket) => {
        const receipt = found?.get(ticket.ticket);
        return receipt ? [{ ticket, receipt }] : [];
      }),
    );
    await removeTickets(
      this.database,
      tickets.filter(({ ticket, isOver }) => isOver || found?.has(ticket)),
    );
    return found !== undefined;
  }

  /** The receipts that there are; undefined where the push service did not answer. */
  private async ask(configuration: ProviderConfiguration, tickets: readonly DueTicket[]) {
    const ids = tickets.map(({ ticket }) => ticket);
    const answer = await configuration.withProvider(async (open) => open.receipts?.(ids, AbortSignal.timeout(CALL_MS_MAX)));
    if (!answer) return new Map<string, PushReceipt>(); // its kind has no receipts in this version
    if (answer.kind === 'receipts') return answer.found;
    const { id, workspaceId } = configuration;
    this.logger.warn({ message: `Receipts of push messages are not read yet: ${answer.error}`, configurationId: id, workspaceId });
    return undefined;
  }

  private async store({ id, provider }: ProviderConfiguration, receipts: readonly { ticket: DueTicket; receipt: PushReceipt }[]) {
    const at = this.clock.now();
    await this.tokens.store(
      receipts.flatMap(({ ticket: { workspaceId: workspace_id, token }, receipt }) =>
        receipt.kind === 'failed' && receipt.isRevoked
          ? [{ workspace_id, token, outcome: 'revoked' as const, code: receipt.code, at }]
          : [],
      ),
    );
    const failed = receipts.flatMap(({ ticket, receipt }) => (receipt.kind === 'failed' && ticket.others > 0 ? [ticket] : []));
    const last = failed.length > 0 ? await this.database.transaction((tx) => failTickets(tx, failed)) : [];
    const isLast = ({ ticket, others }: DueTicket) => others === 0 || last.some((one) => one.ticket === ticket);
    const events = receipts.flatMap(({ ticket, receipt }): ProviderEventReported[] => {
      // Others of its devices may have got the message.
      if (receipt.kind === 'failed' && !isLast(ticket)) return [];
      const { workspaceId, uuid, ticket: reference } = ticket;
      const messageId = uuidToMessageId(uuid);
      const eventId = createHash('sha256').update(`${id} ${reference}`).digest('base64url');
      const of = { workspaceId, subject: messageId, eventId, provider, configurationId: id, at, messageId, reference };
      if (receipt.kind === 'delivered') return [{ ...of, kind: 'DELIVERED' }];
      return [{ ...of, kind: 'FAILED', details: storable(receipt.error.slice(0, PROVIDER_EVENT_LENGTHS.details)), code: receipt.code }];
    });
    if (events.length === 0) return;
    await this.events.append(
      providerEventReported,
      events.map((payload) => ({ id: payload.eventId, payload })),
    );
  }
}
