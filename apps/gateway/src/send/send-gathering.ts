import type { onRequestHookHandler } from 'fastify';
import { systemTimers, type Timer, type Timers } from '@tidings/runtime/timers';

/** So many requests continue at once; fewer after `GATHER_MS`. */
const TOGETHER = 32;
const GATHER_MS = 30;
/** Requests in `GATHER_MS` from which on they are gathered, and below which they are not any more. */
const TOGETHER_MIN = 8;
/** Requests in `GATHER_MS` above which they are a burst (ADR 25): so many meet each other without waiting. */
const TOGETHER_MAX = 96;
/** Time after which gathered requests are found to be a burst, in ms; longer than the pauses of the thread, which collect requests. */
const BURST_MS = 100;
/** Requests come one by one where the last of a group came no longer ago than so many intervals between them. */
const GAPS_MAX = 4;
/** A pause between two requests, longer than one of the thread, ends the gathering, in ms. */
const PAUSE_MS = 100;
/** Interval of attempts to gather requests of clients that wait for each answer, in ms. */
const ATTEMPT_MS = 500;

/**
 * Lets sends continue in groups while they come one by one and often. A group costs one commit, one read and one statement of each kind,
 * which at a moderate load cost more than the sends themselves. A send after a pause continues at once, and so do those of clients that
 * wait for each answer: after the last of them no more would come. In a burst nothing waits either.
 */
export class SendGathering {
  private waiting: (() => void)[] = [];
  private timer: Timer | undefined;
  private isGathering = false;
  private attemptAt = 0;
  private lastAt = 0;
  /** Requests since `countedFrom`. */
  private count = 0;
  private countedFrom = -Infinity;

  constructor(private readonly timers: Timers = systemTimers) {}

  /** Calls `next`, now or with the group. */
  pass(next: () => void): void {
    const now = this.timers.now();
    if (this.waiting.length === 0 && now - this.lastAt > PAUSE_MS) this.isGathering = false;
    this.count += 1;
    if (!this.isGathering && !this.shouldGather(now)) return next();
    this.lastAt = now;
    this.waiting.push(next);
    if (this.waiting.length >= TOGETHER) this.release();
    // After a pause of the thread its timers come first: requests that came meanwhile are of the group.
    else this.timer ??= this.timers.setTimeout(() => setImmediate(() => this.release()), GATHER_MS);
  }

  /** `pass` as a hook of a route. */
  readonly hook: onRequestHookHandler = (_request, _reply, done) => this.pass(done);

  private shouldGather(now: number) {
    if (now - this.countedFrom < GATHER_MS) return false;
    const together = this.countTogether(now);
    this.isGathering = together >= TOGETHER_MIN && together <= TOGETHER_MAX && now >= this.attemptAt;
    return this.isGathering;
  }

  /** Requests in `GATHER_MS` since the last call of this method. */
  private countTogether(now: number) {
    const together = (this.count * GATHER_MS) / (now - this.countedFrom);
    this.count = 0;
    this.countedFrom = now;
    return together;
  }

  private release() {
    this.timers.clear(this.timer);
    this.timer = undefined;
    const group = this.waiting;
    if (group.length === 0) return;
    this.waiting = [];
    const now = this.timers.now();
    const isOver = now - this.lastAt > (GAPS_MAX * GATHER_MS) / group.length;
    const isBurst = now - this.countedFrom >= BURST_MS && this.countTogether(now) > TOGETHER_MAX;
    if (isOver || isBurst || group.length < TOGETHER_MIN) {
      this.isGathering = false;
      this.attemptAt = now + ATTEMPT_MS;
      this.count = 0;
      this.countedFrom = now;
    }
    for (const next of group) next();
  }
}
