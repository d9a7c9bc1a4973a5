import type { Timers } from '@tidings/runtime/timers';
import { deriveStatus } from '../record/derive-status';
import { withoutLeaf } from '../record/stored-events';
import type { MessageStep } from '../record/step-store';
import type { Conclusion } from './conclude';
import { type LeasedDelivery, toNewDelivery } from './leased-delivery';
import type { Step } from './make-step';
import type { OutcomeWriter } from './outcome-writer';

/** How long a message waits for the outcome of its first call, in ms; then it is stored without it. */
const STORED_AFTER_MS = 200;

/** The first step of a message, whose only delivery is called before it is stored. */
export interface UnstoredStep extends Step {
  readonly delivery: LeasedDelivery;
}

/** The step as it can be stored before its call; undefined where the message has more to store than one delivery and its outcome. */
export function unstoredStep(made: Step): UnstoredStep | undefined {
  const { step, deliveries } = made;
  const [delivery] = deliveries;
  return step.generation === undefined && step.open === null && delivery && deliveries.length === 1 ? { delivery, ...made } : undefined;
}

/**
 * The step with the outcome of its call, as one row each of messages and history; else with its delivery, leased by this process. The same
 * object, so call it once.
 */
export function stepWith({ step, delivery }: UnstoredStep, conclusion: Conclusion | undefined): MessageStep {
  if (conclusion?.kind !== 'final') return Object.assign(step, { deliveries: [toNewDelivery(delivery, true)] });
  const { record, at, events } = conclusion.outcome;
  const outcome = { providers: [record], at, events: [...step.events, ...withoutLeaf(events)], deliveries: [] };
  return Object.assign(step, deriveStatus('ROUTED', [record], false), outcome);
}

/**
 * A message whose provider is called before it is stored. It is stored with the outcome, or without it after `STORED_AFTER_MS`. Until then
 * the event log has its request, and delivers it again after a crash (ADR 24).
 */
export class UnstoredMessage {
  /** Resolves when the message is stored; rejects where the database refuses it. */
  readonly stored: Promise<void>;
  private settle!: (stored: Promise<void>) => void;
  private storing: Promise<void> | undefined;
  private endRenewal: (() => void) | undefined;
  private readonly timer = this.timers.setTimeout(() => this.store(), STORED_AFTER_MS);

  constructor(
    private readonly step: UnstoredStep,
    private readonly outcomes: Pick<OutcomeWriter, 'write' | 'store'>,
    private readonly startRenewal: () => () => void,
    private readonly timers: Timers,
  ) {
    this.stored = new Promise((resolve) => (this.settle = resolve));
  }

  /** Resolves when the outcome is durable. Rejects where the database refuses the message. */
  write(conclusion: Conclusion): Promise<void> {
    this.timers.clear(this.timer);
    if (this.storing) return this.outcomes.write(conclusion);
    const written = this.outcomes.write(conclusion, this.step);
    this.settle(written);
    return written;
  }

  /** Its call has ended. */
  end(): void {
    this.endRenewal?.();
  }

  private store() {
    this.endRenewal = this.startRenewal();
    this.storing = this.outcomes.store(this.step);
    this.settle(this.storing);
  }
}
