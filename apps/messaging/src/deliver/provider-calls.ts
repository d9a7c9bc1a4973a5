import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { DecisionFields } from '@tidings/contracts/messaging/decisions';
import { deliveryKey } from '@tidings/contracts/messaging/delivery-key';
import { PROVIDER_KINDS } from '@tidings/providers/kinds';
import type { Attempt, Failed, Outcome } from '@tidings/providers/provider';
import type { Recipient } from '@tidings/providers/recipient';
import { Clock } from '@tidings/runtime/clock';
import { DELIVERY_OUTCOMES, METRICS } from '@tidings/runtime/metric-table';
import { metrics } from '@tidings/runtime/metrics';
import { OverrideSecrets } from '@tidings/runtime/override-secrets';
import { ProfileSecrets } from '@tidings/runtime/profile-secrets';
import { isWorkFollowed } from '@tidings/tracing/work-ids';
import { BounceGuard } from '../providers/bounce-guard';
import { Breakers } from '../providers/breakers';
import { DEFAULT_INTEGRATION_ID, type ProviderConfiguration, ProviderConfigurations } from '../providers/provider-configurations';
import { ProviderPauses } from '../providers/provider-pauses';
import { RateLimiter } from '../providers/provider-rate';
import { SenderDomains } from '../providers/sender-domains';
import { ProviderCounts } from '../statistics/provider-counts';
import { attemptWithIds } from './attempt-span';
import { type LeasedDelivery, logFields } from './leased-delivery';
import { withoutAddresses } from './without-addresses';

/** Counters of delivery. */
export const deliveryMetrics = {
  attempts: metrics.counter(METRICS.attempts),
  recovered: metrics.counter(METRICS.recoveredAttempts),
};
const DELIVERIES = metrics.counter(METRICS.deliveries);
const ACCEPT_TO_PROVIDER = metrics.histogram(METRICS.acceptToProvider);

// Announced for every kind, configured or not.
for (const { key: provider, channels } of PROVIDER_KINDS) {
  for (const channel of channels)
    for (const outcome of DELIVERY_OUTCOMES) metrics.announce(METRICS.deliveries, { channel, provider, outcome });
  for (const outcome of METRICS.attempts.labels.outcome) metrics.announce(METRICS.attempts, { provider, outcome });
}

/** Whether a call failed for another reason than its recipient. */
function isFailure(outcome: Outcome) {
  return outcome.kind === 'retry' || (outcome.kind === 'failed' && outcome.cause !== 'recipient' && outcome.cause !== 'token');
}

type UncalledReason = DecisionFields['uncalled']['why'];

/** No call was made; it is made later, unless the retry window of its delivery has ended by then. */
export interface Postponed {
  readonly kind: 'postponed';
  readonly delayMs: number;
  /** A slot of the provider's rate is reserved for that call. */
  readonly hasSlot: boolean;
  /** Why it was not made, in plain words. */
  readonly error: string;
  /** The same as a code. */
  readonly why: UncalledReason;
}

/** No call was made, and none follows. */
export interface NotAttempted {
  readonly kind: 'not-attempted';
  readonly error: string;
  /** The same as a code. */
  readonly why: UncalledReason;
}

/** The outcome of a call. */
export type CallOutcome = Outcome & {
  /** The configuration was changed during the call: the retry is due soon. */
  readonly isOutdated?: boolean;
};

/** What a call needs opened. */
type Opened = Pick<Attempt, 'override'> & { readonly recipient: Recipient };

/** Errors of one provider come in floods. */
const LOG_INTERVAL_MS = 10_000;
/** Longest wait for an open breaker, whatever the provider's `Retry-After`: its configuration may have been corrected by then. */
const BREAKER_WAIT_MS_MAX = 60_000;
/** How long a delivery waits for a paused provider at once: the release at the end of the pause comes before. */
const PAUSED_RECHECK_MS = 30 * 60_000;
/** Least time of a call, also near the end of the retry window: a call that is cut off may have delivered. */
const CALL_MS_MIN = 1_000;
/** Longest delay of a timer. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** Delay of a call while the database is unavailable. */
const UNAVAILABLE_RETRY_MS = 1_000;
/** A slot within this time is waited for; a later one postpones the call. */
const SLOT_WAIT_MS = 250;

/** Calls the providers of deliveries, within their rate limits and unless they are paused or their breakers are open. */
@Injectable()
export class ProviderCalls {
  private readonly logger = new Logger(ProviderCalls.name);
  private nextLogAt = 0;

  constructor(
    private readonly configurations: ProviderConfigurations,
    private readonly pauses: ProviderPauses,
    private readonly breakers: Breakers,
    private readonly rates: RateLimiter,
    private readonly senders: SenderDomains,
    private readonly guard: BounceGuard,
    private readonly counts: ProviderCounts,
    private readonly clock: Clock,
    private readonly secrets: OverrideSecrets,
    private readonly profileSecrets: ProfileSecrets,
  ) {}

  /** Makes one attempt, unless the provider must not be called now. Never rejects. */
  async make(delivery: LeasedDelivery): Promise<CallOutcome | Postponed | NotAttempted> {
    const outcome = await (isWorkFollowed() ? attemptWithIds(delivery, () => this.call(delivery)) : this.call(delivery));
    this.count(delivery, outcome.kind);
    if (outcome.kind === 'postponed' || outcome.kind === 'not-attempted') return outcome;
    deliveryMetrics.attempts.inc({ provider: delivery.provider, outcome: outcome.kind });
    if (outcome.kind === 'accepted' || (outcome.kind === 'failed' && outcome.cause === 'recipient'))
      this.guard.countSend(delivery.workspaceId, delivery.integration);
    if (outcome.kind !== 'accepted') this.logFailure(delivery, outcome);
    return outcome;
  }

  private count({ channel, provider, attempt, retryWindow }: LeasedDelivery, kind: (CallOutcome | Postponed | NotAttempted)['kind']) {
    const outcome = kind === 'not-attempted' ? 'not_attempted' : kind;
    DELIVERIES.inc({ channel, provider, outcome });
    const isAnswered = outcome === 'accepted' || outcome === 'failed' || outcome === 'retry';
    if (attempt === 1 && isAnswered) ACCEPT_TO_PROVIDER.observe(Math.max(0, this.clock.now() - retryWindow.sinceMs) / 1_000);
  }

  private async call(delivery: LeasedDelivery): Promise<CallOutcome | Postponed | NotAttempted> {
    const { workspaceId, messageId, attempt, leaf, integration, provider, alias, rendered, renderedAt, data } = delivery;
    try {
      const configuration = await this.configurations.find(workspaceId, integration);
      if (!configuration)
        return {
          kind: 'not-attempted',
          error: `${nameOf({ provider, alias: alias ?? integration })} is not configured any more`,
          why: 'removed',
        };
      if (!configuration.enabled) return { kind: 'not-attempted', error: `${nameOf(configuration)} is disabled`, why: 'disabled' };
      if (await this.pauses.isPaused(configuration)) return paused(delivery, configuration);
      const openForMs = this.breakers.openForMs(configuration);
      if (openForMs > 0) return breakerOpen(delivery, configuration, openForMs);
      if (configuration.rateLimit && !delivery.hasSlot) {
        const { untilMs = Infinity } = delivery.retryWindow;
        const waitMs = await this.rates.reserveSlot(configuration, untilMs - this.clock.now());
        if (waitMs === undefined) return rateExhausted(configuration);
        if (waitMs > SLOT_WAIT_MS) return { ...rateExhausted(configuration), kind: 'postponed', delayMs: waitMs, hasSlot: true };
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
      const opened = this.opened(delivery);
      if ('kind' in opened) return opened;
      if (integration === DEFAULT_INTEGRATION_ID) {
        // Here, because only an opened override shows its sender; and in each attempt, because the domains may have changed.
        const refusal = await this.senders.refusalOf(workspaceId, rendered, opened.override);
        if (refusal !== undefined) return { kind: 'not-attempted', error: refusal, why: 'sender' };
      }
      const refusedForMs = this.breakers.admit(configuration);
      if (refusedForMs > 0) return breakerOpen(delivery, configuration, refusedForMs);
      const restMs = Math.max((delivery.retryWindow.untilMs ?? Infinity) - this.clock.now(), CALL_MS_MIN);
      // Most calls end long before their window: none of those pays for a signal and its listeners.
      const cut = restMs > TIMER_MS_MAX ? undefined : new AbortController();
      const call = {
        messageId,
        idempotencyKey: deliveryKey({ messageId, leaf }),
        number: attempt,
        renderedAt: new Date(renderedAt),
        data,
        signal: cut?.signal,
        override: opened.override,
      };
      const startedAt = performance.now();
      const sending = configuration.withProvider((open) => open.send(rendered, opened.recipient, call));
      const recorded = sending.then((outcome) => {
        const durationMs = performance.now() - startedAt;
        this.counts.countCall(workspaceId, integration, { atMs: this.clock.now(), durationMs, isFailed: isFailure(outcome) });
        // A call that was cut off does not count: the provider may be well.
        if (!cut?.signal.aborted) this.breakers.record(configuration, outcome, messageId);
        return outcome;
      });
      const outcome = await (cut ? withinWindow(recorded, restMs, cut) : recorded);
      return outcome.kind === 'retry' ? { ...outcome, isOutdated: await this.isOutdated(configuration) } : outcome;
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unavailable')
        return { kind: 'postponed', delayMs: UNAVAILABLE_RETRY_MS, hasSlot: delivery.hasSlot, error: error.message, why: 'unavailable' };
      this.logger.error({ err: error, ...logFields(delivery) }, `Provider ${provider} threw`);
      return { kind: 'retry', error: `Provider ${provider} failed unexpectedly` };
    }
  }

  /** Whether a configuration has changed since: its deliveries were released meanwhile, without those that were being called. */
  private async isOutdated({ workspaceId, id, version }: ProviderConfiguration) {
    try {
      return (await this.configurations.find(workspaceId, id))?.version !== version;
    } catch {
      return true; // unknown while the database is unavailable
    }
  }

  /** The recipient with its credentials opened, and overrides of the call by the send with their secrets opened. */
  private opened({ workspaceId, recipient, override }: LeasedDelivery): Opened | Failed {
    try {
      return {
        recipient: this.withCredentials(workspaceId, recipient),
        ...(override && { override: this.secrets.open(workspaceId, override) }),
      };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR', error: error.message };
    }
  }

  private withCredentials(workspaceId: string, recipient: Recipient): Recipient {
    const { channel } = recipient;
    if (channel !== 'direct_message' && channel !== 'webhook') return recipient;
    const opened = this.profileSecrets.openForCall(workspaceId, recipient);
    if (opened.channel !== 'webhook' || !opened.profile) return opened;
    return { ...opened, profile: this.profileSecrets.openForCall(workspaceId, opened.profile) };
  }

  /** Logs failures that an operator can act on, at most once per `LOG_INTERVAL_MS`. */
  private logFailure(delivery: LeasedDelivery, outcome: Exclude<Outcome, { kind: 'accepted' }>) {
    if (outcome.kind === 'failed' && outcome.cause !== 'configuration') return;
    const now = performance.now();
    if (now < this.nextLogAt) return;
    this.nextLogAt = now + LOG_INTERVAL_MS;
    const message = outcome.kind === 'retry' ? 'Delivery failed; retrying' : 'Delivery failed; check the provider configuration';
    const error = withoutAddresses(outcome.error, delivery.recipient);
    this.logger.warn({ message: `${message} (logged at most every ${LOG_INTERVAL_MS / 1000} s): ${error}`, ...logFields(delivery) });
  }
}

/** The outcome of a call. It is cut off after `restMs`, at the end of its retry window, so that the provider is not called afterwards. */
async function withinWindow(call: Promise<Outcome>, restMs: number, cut: AbortController): Promise<Outcome> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Outcome>((resolve) => {
    const error = `The provider did not answer within ${restMs} ms, the rest of its retry window`;
    timer = setTimeout(() => {
      resolve({ kind: 'retry', error });
      cut.abort();
    }, restMs);
  });
  return Promise.race([call, late]).finally(() => clearTimeout(timer));
}

/** While another route is left, an open breaker is not waited for; on the last route the call is postponed until the retry window ends. */
function breakerOpen({ retryWindow }: LeasedDelivery, configuration: ProviderConfiguration, delayMs: number): Postponed | NotAttempted {
  const error = `${nameOf(configuration)} failed so often that it is not called for a while`;
  return retryWindow.hasNext
    ? { kind: 'not-attempted', error, why: 'breaker' }
    : { kind: 'postponed', delayMs: Math.min(delayMs, BREAKER_WAIT_MS_MAX), hasSlot: false, error, why: 'breaker' };
}

/**
 * What waits for a paused provider stays until its own limit, or the release at the end of the pause. A delivery that was not called yet and
 * has another route uses that, as with an open breaker.
 */
function paused({ attempt, hasSlot, retryWindow }: LeasedDelivery, configuration: ProviderConfiguration): Postponed | NotAttempted {
  const error = `${nameOf(configuration)} is paused`;
  const isNew = attempt === 1 && !hasSlot;
  return retryWindow.hasNext && isNew
    ? { kind: 'not-attempted', error, why: 'paused' }
    : { kind: 'postponed', delayMs: retryWindow.hasNext ? Infinity : PAUSED_RECHECK_MS, hasSlot: false, error, why: 'paused' };
}

/** The next free slot lies after the end of the retry window. */
function rateExhausted(configuration: ProviderConfiguration): NotAttempted {
  return { kind: 'not-attempted', error: `${nameOf(configuration)} has no free slot in time: its rate_limit is used up`, why: 'rate' };
}

function nameOf({ provider, alias }: Pick<ProviderConfiguration, 'provider' | 'alias'>) {
  return alias === undefined ? `Provider ${provider}` : `Provider ${alias} (${provider})`;
}
