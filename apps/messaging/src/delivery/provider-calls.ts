import { Injectable, Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { OverrideSecrets } from '@tidings/persistence/override-secrets';
import type { Attempt, Failed, Outcome } from '@tidings/providers/provider';
import { Clock } from '@tidings/runtime/clock';
import { Breakers } from '../providers/breakers';
import { type ProviderConfiguration, ProviderConfigurations } from '../providers/provider-configurations';
import type { LeasedDelivery } from './delivery';
import { deliveryMetrics } from './metrics';
import { RateLimiter } from './rate-limiter';
import { withoutAddresses } from './without-addresses';

/** No call was made; it is to be made later, unless the time of its delivery is over by then. */
export interface Postponed {
  readonly kind: 'postponed';
  readonly delayMs: number;
  /** A slot of the provider's rate is kept for it then. */
  readonly hasSlot: boolean;
  /** Why it was not made, as a person would say it. */
  readonly error: string;
}

/** No call was made, and none is to be waited for. */
export interface NotAttempted {
  readonly kind: 'spared';
  readonly error: string;
}

/** Troubles of a provider come in floods. */
const TELL_INTERVAL_MS = 10_000;
/** However long a provider wants to be left alone, what waits for it looks again after this time: its configuration may be mended by then. */
const SPARED_MS_MAX = 60_000;
/** A call is given this long at least, however little of its time is left: who is cut off may have delivered. */
const CALL_MS_MIN = 1_000;
/** What a timer can hold. */
const TIMER_MS_MAX = 2 ** 31 - 1;
/** A database that is away is asked again so soon. */
const AWAY_MS = 1_000;
/** A slot this near is waited for. */
const SLOT_WAIT_MS = 250;

/** Calls the providers of deliveries, as often as they may be called and as long as they answer. */
@Injectable()
export class ProviderCalls {
  private readonly logger = new Logger(ProviderCalls.name);
  private tellAgainAt = 0;

  constructor(
    private readonly configurations: ProviderConfigurations,
    private readonly breakers: Breakers,
    private readonly rates: RateLimiter,
    private readonly clock: Clock,
    private readonly secrets: OverrideSecrets,
  ) {}

  /** Makes one attempt, unless the provider is not to be called now. Never rejects. */
  async make(delivery: LeasedDelivery): Promise<Outcome | Postponed | NotAttempted> {
    const outcome = await this.call(delivery);
    if (outcome.kind === 'postponed' || outcome.kind === 'spared') return outcome;
    deliveryMetrics.attempts.inc({ provider: delivery.provider, outcome: outcome.kind });
    if (outcome.kind !== 'accepted') this.tell(delivery, outcome);
    return outcome;
  }

  private async call(delivery: LeasedDelivery): Promise<Outcome | Postponed | NotAttempted> {
    const { workspaceId, messageId, attempt, leaf, integration, provider, recipient, rendered, renderedAt, data } = delivery;
    try {
      const configuration = await this.configurations.find(workspaceId, integration);
      if (!configuration) return removed(provider);
      const openForMs = this.breakers.openForMs(configuration);
      if (openForMs > 0) return down(delivery, configuration, openForMs);
      if (configuration.rateLimit && !delivery.hasSlot) {
        const { untilMs } = delivery.patience;
        const waitMs = await this.rates.slot(configuration, untilMs === undefined ? undefined : untilMs - this.clock.now());
        if (waitMs === undefined) return busy(configuration);
        if (waitMs > SLOT_WAIT_MS) return { kind: 'postponed', delayMs: waitMs, hasSlot: true, error: busy(configuration).error };
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
      }
      const opened = this.opened(delivery);
      if ('kind' in opened) return opened;
      const admission = this.breakers.admit(configuration);
      if (!admission.admitted) return down(delivery, configuration, admission.retryAfterMs);
      const cut = new AbortController();
      const sending = configuration.send(rendered, recipient, {
        messageId,
        idempotencyKey: `${messageId}.${leaf}`,
        number: attempt,
        renderedAt: new Date(renderedAt),
        data,
        ...opened,
        signal: cut.signal,
      });
      const recorded = sending.then((outcome) => {
        // A call that was cut off says nothing of the provider.
        if (!cut.signal.aborted) this.breakers.record(configuration, outcome, messageId);
        return outcome;
      });
      return await this.withinTime(recorded, delivery, cut);
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unavailable')
        return { kind: 'postponed', delayMs: AWAY_MS, hasSlot: delivery.hasSlot, error: error.message };
      this.logger.error({ err: error, messageId }, `Provider ${provider} threw`);
      return { kind: 'retry', error: `Provider ${provider} failed unexpectedly` };
    }
  }

  /** What the send changes of the call, its secrets opened. */
  private opened({ workspaceId, override }: LeasedDelivery): Pick<Attempt, 'override'> | Failed {
    try {
      return override ? { override: this.secrets.open(workspaceId, override) } : {};
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return { kind: 'failed', cause: 'configuration', reason: 'PROVIDER_ERROR', error: error.message };
    }
  }

  /** What became of a call; one that has not ended when the time of its delivery is over is cut off, so that nothing begins afterwards. */
  private async withinTime(
    call: Promise<Outcome>,
    { patience: { untilMs = Infinity } }: LeasedDelivery,
    cut: AbortController,
  ): Promise<Outcome> {
    const restMs = Math.max(untilMs - this.clock.now(), CALL_MS_MIN);
    if (restMs > TIMER_MS_MAX) return call;
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<Outcome>((resolve) => {
      const error = `The provider did not answer in the time that was left to it, ${restMs} ms`;
      timer = setTimeout(() => {
        resolve({ kind: 'retry', error });
        cut.abort();
      }, restMs);
    });
    return Promise.race([call, late]).finally(() => clearTimeout(timer));
  }

  /** Says what keeps messages from leaving, not for each of them. */
  private tell({ provider, messageId, recipient }: LeasedDelivery, outcome: Exclude<Outcome, { kind: 'accepted' }>): void {
    if (outcome.kind === 'failed' && outcome.cause !== 'configuration') return;
    const now = performance.now();
    if (now < this.tellAgainAt) return;
    this.tellAgainAt = now + TELL_INTERVAL_MS;
    const message = outcome.kind === 'retry' ? 'A delivery failed and is tried again' : 'A delivery failed: the provider must be looked at';
    const error = withoutAddresses(outcome.error, recipient);
    this.logger.warn({ message: `${message} (said at most every ${TELL_INTERVAL_MS / 1000} s): ${error}`, provider, messageId });
  }
}

function removed(provider: string): NotAttempted {
  return { kind: 'spared', error: `Provider ${provider} is not configured any more` };
}

/** There is something else to try, so a provider that is down is not waited for; else it is asked again, until the time is over. */
function down({ patience }: LeasedDelivery, configuration: ProviderConfiguration, delayMs: number): Postponed | NotAttempted {
  const error = `${nameOf(configuration)} failed so often that it is not called for a while`;
  return patience.hasNext
    ? { kind: 'spared', error }
    : { kind: 'postponed', delayMs: Math.min(delayMs, SPARED_MS_MAX), hasSlot: false, error };
}

/** Its next free slot comes when the time of the delivery is over. */
function busy(configuration: ProviderConfiguration): NotAttempted {
  return { kind: 'spared', error: `${nameOf(configuration)} has no room in time: its rate_limit is used up` };
}

function nameOf({ provider, alias }: ProviderConfiguration): string {
  return alias === undefined ? `Provider ${provider}` : `Provider ${alias} (${provider})`;
}
