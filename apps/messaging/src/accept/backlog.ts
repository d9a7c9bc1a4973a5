import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { LANES } from '@tidings/contracts/messaging/targets';
import type { GivenBatch } from '@tidings/events/event-log';
import { laneNumber } from '../record/step-store';
import { RequestGroups } from './request-groups';

/** Requests, and characters of their texts, that wait at once; above them no batch is added, and none is deferred. */
const REQUESTS_MAX = 25_000;
const CHARACTERS_MAX = 32_000_000;
/** Requests of a single sender that wait at once: none of another sender is behind them. */
const OF_ONE_MAX = 1_000;
/** A workspace with more waiting requests of a lane sends a burst: they may be deferred. */
const BURST_MIN = 100;
/** Longest time that a burst is deferred, in ms. */
const DEFERRED_MS_MAX = 5_000;
const CRITICAL = laneNumber('critical');

/** A batch of the event log whose requests are processed in another order than they were read. */
export class ReadBatch {
  /** Resolves when all its requests are stored; rejects as soon as one cannot be. */
  readonly settled: Promise<void>;
  private isFailed = false;
  private resolve!: () => void;
  private reject!: (error: unknown) => void;

  constructor(
    readonly given: GivenBatch,
    /** Requests that are not stored yet. */
    private open: number,
    private readonly revoked: AbortSignal,
  ) {
    this.settled = new Promise((resolve, reject) => {
      [this.resolve, this.reject] = [resolve, reject];
    });
    // It may reject before it is awaited.
    this.settled.catch(() => undefined);
    if (open === 0) this.resolve();
  }

  /** Its requests are not processed: they are delivered again, to this member or another one. */
  get isOver(): boolean {
    return this.isFailed || this.revoked.aborted;
  }

  /** One request is stored, or is when `stored` resolves. */
  endWith(stored: Promise<void> | undefined): void {
    const end = () => {
      this.open -= 1;
      if (this.open === 0) this.resolve();
    };
    if (stored) stored.then(end, (error: unknown) => this.fail(error));
    else end();
  }

  fail(error: unknown): void {
    this.isFailed = true;
    this.reject(error);
  }
}

/** A request that waits to be processed. */
export interface WaitingRequest {
  readonly request: MessageRequested;
  /** Several, where the log has it more than once. */
  readonly batches: ReadBatch[];
  readonly characters: number;
  /** When the log appended it, ms since the epoch. */
  readonly appendedAt: number;
  /** It is stored without being processed: its client cancels it. */
  isParked: boolean;
}

/** A look-up of a message, or of a request to several, by a client. */
export interface LookUp {
  /** The workspace of the client. */
  readonly workspaceId: string;
  readonly id: string;
  /** How long the client waits. */
  readonly waitMs: number;
  /** Whether the messages are stored without being processed. */
  readonly parks: boolean;
}

/**
 * Requests that were read from the event log and are not processed yet. The most urgent lane is processed first, the workspaces of a lane
 * in equal shares. While clients send a burst it is deferred, so that accepting it has the CPU.
 */
export class Backlog {
  /** By lane and workspace, the oldest first. */
  private readonly lanes = LANES.map(() => new Map<string, WaitingRequest[]>());
  private readonly byId = new Map<string, WaitingRequest>();
  private readonly groups = new RequestGroups();
  private hurried: WaitingRequest[] = [];
  /** Look-ups of messages whose requests are not read yet, by id, and when they end, by `performance.now()`. */
  private readonly lookedUp = new Map<string, LookUp & { readonly untilMs: number }>();
  private characters = 0;

  get size(): number {
    return this.byId.size;
  }

  /** @param appendedAt when the log appended the first, ms since the epoch. */
  add(requests: readonly MessageRequested[], characters: number, appendedAt: number, batch: ReadBatch): void {
    for (const request of requests) {
      const same = this.byId.get(request.id);
      if (same) {
        same.batches.push(batch);
        continue;
      }
      const waiting: WaitingRequest = { request, batches: [batch], characters: characters / requests.length, appendedAt, isParked: false };
      this.characters += waiting.characters;
      const owners = this.lanes[laneNumber(request.lane ?? 'normal')]!;
      const others = owners.get(request.workspaceId);
      if (others) others.push(waiting);
      else owners.set(request.workspaceId, [waiting]);
      this.byId.set(request.id, waiting);
      this.groups.add(waiting);
      const lookUp = this.lookedUp.get(request.id) ?? this.lookedUp.get(request.requestId ?? request.id);
      if (lookUp) this.hurryOne(waiting, lookUp);
    }
  }

  /** Whether another batch may be added. @param isMixed whether several clients send at this time. */
  hasSpace(isMixed: boolean): boolean {
    if (this.isFull) return false;
    this.forgetLookUps();
    return isMixed || this.size < OF_ONE_MAX || this.lookedUp.size > 0;
  }

  /** The messages that a client looks up are the next ones. Where they are not read yet, they are read ahead while the client waits. */
  hurry(lookUp: LookUp): void {
    const { id, waitMs } = lookUp;
    const waiting = this.byId.get(id);
    const found = waiting ? [waiting] : this.groups.of(id);
    if (found.length === 0) this.lookedUp.set(id, { ...lookUp, untilMs: performance.now() + waitMs });
    for (const one of found) this.hurryOne(one, lookUp);
    this.forgetLookUps();
  }

  /** The message is stored, or is when `stored` resolves. */
  endWith({ request, batches }: WaitingRequest, stored: Promise<void> | undefined): void {
    for (const batch of batches) batch.endWith(stored);
    this.groups.endWith(request, stored);
  }

  /** The message is not stored: it is delivered again. */
  fail({ request, batches }: WaitingRequest, error: unknown): void {
    for (const batch of batches) batch.fail(error);
    this.groups.forget(request);
  }

  /** Whether all messages of a request to several named users are known to be stored. */
  hasStored(requestId: string): boolean {
    return this.groups.hasStored(requestId);
  }

  /** Removes and returns up to `max` requests to process next. @param isBurst whether clients send many at this time. */
  next(max: number, isBurst: boolean): WaitingRequest[] {
    const mayDefer = isBurst && !this.isFull;
    const chosen = this.hurried.splice(0).filter((waiting) => this.remove(waiting));
    for (const [lane, owners] of this.lanes.entries()) this.choose(owners, max, mayDefer && lane !== CRITICAL, chosen);
    return chosen;
  }

  /** Removes all requests; their batches fail. */
  clear(error: unknown): void {
    for (const waiting of this.byId.values()) this.fail(waiting, error);
    this.next(Infinity, false);
  }

  /** Forgets look-ups that have ended. */
  private forgetLookUps() {
    const now = performance.now();
    for (const [id, { untilMs }] of this.lookedUp) if (untilMs < now) this.lookedUp.delete(id);
  }

  private hurryOne(waiting: WaitingRequest, { workspaceId, parks }: LookUp) {
    if (waiting.request.workspaceId !== workspaceId) return;
    this.lookedUp.delete(waiting.request.id);
    waiting.isParked ||= parks;
    this.hurried.push(waiting);
  }

  private get isFull() {
    return this.size >= REQUESTS_MAX || this.characters >= CHARACTERS_MAX;
  }

  /** Chooses equal shares of the owners of a lane, and more of some where others have less. */
  private choose(owners: Map<string, WaitingRequest[]>, max: number, mayDefer: boolean, chosen: WaitingRequest[]) {
    const deferredFrom = Date.now() - DEFERRED_MS_MAX;
    let ready = [...owners].filter(([, waiting]) => !(mayDefer && waiting.length > BURST_MIN && waiting[0]!.appendedAt > deferredFrom));
    while (ready.length > 0 && chosen.length < max) {
      const share = Math.ceil((max - chosen.length) / ready.length);
      for (const [workspaceId, waiting] of ready) {
        for (const one of waiting.splice(0, Math.min(share, max - chosen.length))) if (this.remove(one)) chosen.push(one);
        if (waiting.length === 0) owners.delete(workspaceId);
      }
      ready = ready.filter(([, { length }]) => length > 0);
    }
  }

  /** Whether the request waited, and is to be processed. */
  private remove(waiting: WaitingRequest) {
    const { id } = waiting.request;
    // One that was hurried is still in its owner's list, where another with its id may follow.
    if (this.byId.get(id) !== waiting) return false;
    this.byId.delete(id);
    this.characters -= waiting.characters;
    if (!isOver(waiting)) return true;
    this.groups.forget(waiting.request);
    return false;
  }
}

/** Whether the request is not processed here: it is delivered again. */
export function isOver({ batches }: Pick<WaitingRequest, 'batches'>): boolean {
  return batches.every((batch) => batch.isOver);
}
