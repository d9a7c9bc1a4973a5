import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { type LoadedRecipients, type RecipientKey, recipients, RECIPIENTS_MAX } from '@tidings/contracts/identity/recipients';
import { type MessageRequested, messageRequested, messageSetAside } from '@tidings/contracts/messaging/events';
import type { EventLog, EventRecord, Subscription } from '@tidings/events/event-log';
import { Database } from '@tidings/persistence/database';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { Clock } from '@tidings/runtime/clock';
import type { Contents } from '../content/contents';
import { Dispatcher } from '../delivery/dispatcher';
import { Providers } from '../delivery/providers';
import { HistoryPublisher } from '../publishing/history-publisher';
import { insertRouted, LEASE_MS, type RoutedMessage } from '../store/routed-store';
import { Arrivals } from './arrivals';
import { failedMessage } from './failed-message';
import { isPlanned, type Planned, planMessage, type Routed } from './plan-message';
import type { Renderer } from './renderer';
import { Turns } from './turns';

const GROUP = 'tidings.messaging.router';
const BATCH_MAX = 500;
const SLOW_GROUP = 'tidings.messaging.slow-router';
const SLOW_BATCH_MAX = 50;
/** How long a batch waits for a place at the dispatcher before its deliveries are left to the lease query. */
const PLACE_WAIT_MS = 250;
/** Rendered texts of one statement, in characters; what came with the requests is bounded by the log's own batches. */
const STATEMENT_CHARS_MAX = 4_000_000;
/**
 * Batches begin at least so far apart: under load each then carries many messages, and a message costs a fraction of a
 * statement. One that comes after a pause waits for nothing.
 */
const BATCH_INTERVAL_MS = 15;

/** Reads accepted sends, decides about each, stores the decisions and hands deliveries on. */
@Injectable()
export class Router {
  private subscription: Subscription | undefined;
  private slowSubscription: Subscription | undefined;
  private readonly turns = new Turns();

  constructor(
    private readonly events: EventLog,
    private readonly client: OperationClient,
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    private readonly providers: Providers,
    private readonly arrivals: Arrivals,
    private readonly history: HistoryPublisher,
    private readonly clock: Clock,
    private readonly contents: Contents,
    private readonly renderer: Renderer,
  ) {}

  async start(): Promise<void> {
    const onDead = (record: EventRecord<MessageRequested>, reason: string): Promise<void> => this.bury(record, reason);
    const options = { group: GROUP, maxBatch: BATCH_MAX, onDead };
    this.subscription = await this.events.consume(messageRequested, options, (batch, signal) => this.route(distinct(batch), signal));
    const slow = { group: SLOW_GROUP, maxBatch: SLOW_BATCH_MAX, onDead };
    this.slowSubscription = await this.events.consume(messageSetAside, slow, (batch) => this.routeSlow(distinct(batch)));
  }

  async stop(): Promise<void> {
    await this.subscription?.stop();
    await this.slowSubscription?.stop();
  }

  /** Whether everything accepted up to `time` (ms) has been routed. */
  async hasRoutedUpTo(time: number): Promise<boolean> {
    if (!(await this.subscription?.hasHandledUpTo(time))) return false;
    // It may have been set aside since.
    return (await this.slowSubscription?.hasHandledAll()) ?? false;
  }

  /** The sends of a batch: those that are rendered at once are stored, the others set aside. */
  private async route(requests: readonly MessageRequested[], signal: AbortSignal): Promise<void> {
    const startedAt = performance.now();
    const decided = await this.plan(requests);
    const aside: MessageRequested[] = [];
    let begin = 0;
    while (begin < decided.length) {
      const waiting = decided.length - begin;
      const places = await this.dispatcher.reserve(waiting, PLACE_WAIT_MS);
      const routed: Routed[] = [];
      const end = begin + (places || waiting);
      for (let chars = 0; begin < end && chars <= STATEMENT_CHARS_MAX; begin += 1) {
        const one = this.renderHere(decided[begin]!);
        if (one === 'too large') aside.push(requests[begin]!);
        else {
          routed.push(one);
          chars += one.renderedChars;
        }
        await this.turns.giveWay();
      }
      await this.store(routed, places);
    }
    if (aside.length > 0) {
      await this.events.append(
        messageSetAside,
        aside.map((payload) => ({ id: payload.id, payload })),
      );
    }
    const restMs = startedAt + BATCH_INTERVAL_MS - performance.now();
    if (restMs > 0) await delay(restMs, undefined, { signal }).catch(() => undefined);
  }

  /** Sends that were set aside: each is stored as soon as it is rendered, so a slow one holds up none of the others. */
  private async routeSlow(requests: readonly MessageRequested[]): Promise<void> {
    const decided = await this.plan(requests);
    const outcomes = await Promise.allSettled(
      decided.map(async (one) => {
        const routed = isPlanned(one) ? one.finish(await this.renderer.elsewhere(one)) : one;
        await this.store([routed], 0);
      }),
    );
    const failed = outcomes.find(({ status }) => status === 'rejected') as PromiseRejectedResult | undefined;
    if (failed) throw failed.reason; // what is stored already stays as it is when the batch comes again
  }

  /** What is to become of each of these, in their order. */
  private async plan(requests: readonly MessageRequested[]): Promise<(Planned | Routed)[]> {
    const profiles = await this.loadProfiles(requests);
    const known = requests.map((request) => {
      const profile = profiles.get(profileKey(request)) ?? {};
      const { locale } = { ...profile, ...request.profile };
      return { request, profile, ...(typeof locale === 'string' && { locale }) };
    });
    const said = await this.contents.of(known);
    const provider = this.providers.firstOf('email')?.key;
    const nowMs = this.clock.now();
    return known.map(({ request, profile }, index) => planMessage(request, { profile, said: said[index]!, provider, nowMs }));
  }

  private renderHere(decided: Planned | Routed): Routed | 'too large' {
    if (!isPlanned(decided)) return decided;
    const rendered = this.renderer.here(decided);
    return rendered === 'too large' ? rendered : decided.finish(rendered);
  }

  /** Stores decisions; with `places` reserved, their deliveries begin leased here and go on from memory. */
  private async store(routed: readonly Routed[], places: number): Promise<void> {
    let used = 0;
    try {
      const held = places > 0;
      const rows: RoutedMessage[] = routed.map(({ row, delivery }) => (delivery && held ? { ...row, held } : row));
      const stored = await insertRouted(this.database, rows);
      for (const { row, delivery } of routed) {
        if (!delivery || !held || !stored.has(row.id)) continue;
        used += 1;
        this.dispatcher.accept(delivery);
      }
      if (!held) this.dispatcher.wakeIn(0);
      this.announce(stored);
    } catch (error) {
      // Whether they were stored may be unknown; if they were, nobody holds them and their leases run out.
      this.dispatcher.wakeIn(LEASE_MS);
      throw error;
    } finally {
      this.dispatcher.release(places - used);
    }
  }

  private async loadProfiles(requests: readonly MessageRequested[]): Promise<Map<string, Record<string, unknown>>> {
    const wanted = new Map<string, { workspace_id: string; user_id: string }>();
    for (const request of requests) {
      const { workspaceId, userId } = request;
      if (userId !== undefined) wanted.set(profileKey(request), { workspace_id: workspaceId, user_id: userId });
    }
    const keys = [...wanted.keys()];
    const profiles = new Map<string, Record<string, unknown>>();
    while (profiles.size < keys.length) {
      const page = keys.slice(profiles.size, profiles.size + RECIPIENTS_MAX);
      const asked = page.map((key) => wanted.get(key)!);
      const loaded = await this.load(asked);
      if (loaded.recipients.length === 0) throw new Error(`identity answered none of ${asked.length} recipients`);
      loaded.recipients.forEach(({ profile }, index) => profiles.set(page[index]!, profile));
    }
    return profiles;
  }

  /** What identity knows of these users. That identity fails is no fault of theirs: unless it refuses them, it is asked again. */
  private async load(asked: RecipientKey[]): Promise<LoadedRecipients> {
    try {
      return await this.client.call(recipients.load, systemContext(randomUUID()), { recipients: asked });
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code === 'invalid_request') throw error;
      throw new ServiceError('unavailable', `identity cannot load ${asked.length} recipients now: ${error.message}`);
    }
  }

  /** A request that no batch can hold ends as a message that says so. */
  private async bury({ payload }: EventRecord<MessageRequested>, reason: string): Promise<void> {
    if (!payload) return;
    const row = failedMessage(payload, `The request could not be processed: ${reason}`, this.clock.now());
    this.announce(await insertRouted(this.database, [row]));
  }

  /** These messages are stored now. */
  private announce(stored: ReadonlySet<string>): void {
    if (stored.size === 0) return;
    this.arrivals.announce(stored);
    this.history.committed();
  }
}

/** The requests of a batch; one that was appended twice is one. */
function distinct(batch: readonly EventRecord<MessageRequested>[]): MessageRequested[] {
  const byId = new Map<string, MessageRequested>();
  for (const { payload } of batch) if (payload) byId.set(payload.id, payload);
  return [...byId.values()];
}

function profileKey({ workspaceId, userId }: MessageRequested): string {
  return userId === undefined ? '' : `${workspaceId}:${userId}`;
}
