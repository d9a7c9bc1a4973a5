import { randomUUID } from 'node:crypto';
import { ownerName } from '@tidings/jobs/round-robin';
import { WorkTimes } from '@tidings/jobs/work-times';
import type { Database } from '@tidings/persistence/database';
import type { Outcome } from '@tidings/providers/provider';
import { systemClock } from '@tidings/runtime/clock';
import { ManualTimers } from '@tidings/testing/manual-timers';
import { DeliveryLeases, type LeasedRow } from '../record/delivery-store';
import { LoadedBases, RenderingBases } from '../record/rendering-bases';
import { laneNumber, LEASE_MS } from '../record/step-store';
import type { Conclusion } from './conclude';
import { NOTHING_SUPPRESSED } from '../suppressions/found-suppressions';
import type { Suppressions } from '../suppressions/suppressions';
import { Dispatcher, OPEN_ATTEMPTS_MAX } from './dispatcher';
import { type LeasedDelivery, toLeasedDelivery } from './leased-delivery';
import type { ProviderCalls } from './provider-calls';
import type { OutcomeWriter } from './outcome-writer';

import '@tidings/testing/quiet';

/** Permits of one owner at most: two thirds. */
const FAIR_SHARE = 85;
const ENDINGS = 300;
/** Within it every delivery with a permit has started. */
const SOON_MS = 2_000;
/** Longer than every other wait. */
const LONG_MS = 60_000;
const SENT: Outcome = { kind: 'accepted', reference: {}, delivered: true };

describe('the dispatcher, with permits that come free one by one,', () => {
  let backlog: LeasedRow[];
  let open: { workspaceId: string; end: (outcome?: Outcome | Promise<Outcome>) => void }[];
  let written: Conclusion[];
  let statements: number;
  /** Virtual time: the number of statements per ms does not depend on the machine. */
  let timers: ManualTimers;
  let dispatcher: Dispatcher;

  beforeEach(() => {
    timers = new ManualTimers();
    [backlog, open, written, statements] = [[], [], [], 0];
    jest.spyOn(DeliveryLeases.prototype, 'claim').mockImplementation((limit, _leased, full = []) => {
      statements += 1;
      const isFull = ({ workspace_id, lane }: LeasedRow) => full.includes(ownerName({ workspaceId: workspace_id, lane }));
      const claimed = backlog.filter((row) => !isFull(row)).slice(0, limit);
      backlog = backlog.filter((row) => !claimed.includes(row));
      return Promise.resolve(claimed);
    });
    jest.spyOn(DeliveryLeases.prototype, 'nextDueMs').mockImplementation(() => {
      statements += 1;
      return Promise.resolve(backlog.length > 0 ? 0 : undefined);
    });
    const calls: Pick<ProviderCalls, 'make'> = {
      make: ({ workspaceId }) => new Promise((resolve) => open.push({ workspaceId, end: (outcome = SENT) => resolve(outcome) })),
    };
    const outcomes: Pick<OutcomeWriter, 'write' | 'drain'> = {
      write: (conclusion) => Promise.resolve(void written.push(conclusion)),
      drain: () => Promise.resolve(),
    };
    const wakes = { listen: () => () => undefined, wakeOthers: () => undefined, leave: () => Promise.resolve() };
    const database = { query: () => Promise.resolve([]), wakes } as unknown as Database;
    dispatcher = new Dispatcher(
      database,
      calls as ProviderCalls,
      outcomes as OutcomeWriter,
      new RenderingBases(database),
      systemClock,
      new WorkTimes(),
      timers,
      { among: () => Promise.resolve(NOTHING_SUPPRESSED) } as unknown as Suppressions,
    );
  });

  afterEach(async () => {
    backlog = [];
    const stopped = dispatcher.stop();
    for (const { end } of open) end();
    await advance(SOON_MS);
    await stopped;
    jest.restoreAllMocks();
  });

  const advance = (ms: number) => timers.advance(ms);
  const due = (workspaceId: string, count: number): void => {
    backlog.push(...Array.from({ length: count }, () => dueRow(workspaceId)));
  };
  /** Starts fresh deliveries of an owner until no permit is left; returns how many. */
  const fill = (workspaceId: string): number => {
    let filled = 0;
    for (let delivery = fresh(workspaceId); dispatcher.reserve(delivery); delivery = fresh(workspaceId)) {
      dispatcher.accept(delivery);
      filled += 1;
    }
    return filled;
  };
  const fresh = (workspaceId: string): LeasedDelivery => toLeasedDelivery(dueRow(workspaceId), new LoadedBases(new Map()));
  const isFor = (owner: string) => open.some(({ workspaceId }) => workspaceId === owner);
  /** Ends the oldest call, or the oldest of `owner`. */
  const endOne = async (owner = open[0]!.workspaceId): Promise<void> => {
    const [oldest] = open.splice(
      open.findIndex(({ workspaceId }) => workspaceId === owner),
      1,
    );
    oldest!.end();
    await advance(1);
  };

  it('leases many deliveries per statement while many are due for many owners', async () => {
    const owners = Array.from({ length: OPEN_ATTEMPTS_MAX / 2 }, (_, n) => `owner ${n}`);
    for (const owner of [...owners, ...owners]) due(owner, 1);
    dispatcher.start();
    await advance(SOON_MS);
    for (let round = 0; round * owners.length < 2 * ENDINGS; round += 1) for (const owner of owners) due(owner, 1);
    const before = { statements, due: backlog.length };

    for (let ended = 0; ended < ENDINGS; ended += 1) await endOne();

    expect(before.due - backlog.length).toBeGreaterThan(ENDINGS / 2);
    expect(statements - before.statements).toBeLessThan(ENDINGS / 10);
    await advance(SOON_MS);
    expect(open).toHaveLength(OPEN_ATTEMPTS_MAX);
  });

  it('polls once per many ended calls while only owners at their limit have due deliveries', async () => {
    expect(fill('busy')).toBe(FAIR_SHARE);
    fill('lively');
    due('busy', 1);
    dispatcher.start();
    await advance(SOON_MS);
    const before = statements;

    for (let ended = 0; ended < ENDINGS; ended += 1) {
      await endOne('lively');
      fill('lively'); // fresh messages arrive
    }

    expect(statements - before).toBeLessThan(ENDINGS / 10);
    expect(backlog).toHaveLength(1);
    for (let ended = 0; ended < FAIR_SHARE / 3; ended += 1) await endOne('busy');
    await advance(SOON_MS);
    expect(backlog).toHaveLength(0);
  });

  it('polls rarely while no call of an owner at its limit ends', async () => {
    fill('busy');
    due('busy', 50);
    dispatcher.start();
    await advance(SOON_MS);
    expect(backlog).toHaveLength(50);
    const before = statements;

    await advance(LONG_MS);

    expect(statements - before).toBeLessThan(LONG_MS / 100);
  });

  it('gives a single free permit to an owner that has none', async () => {
    due('ada', OPEN_ATTEMPTS_MAX);
    dispatcher.start();
    await advance(SOON_MS);
    due('bob', 1);
    dispatcher.scheduleIn(0);
    await advance(SOON_MS);
    expect(isFor('bob')).toBe(false);

    await endOne();
    await advance(SOON_MS);

    expect(isFor('bob')).toBe(true);
  });

  it('releases the permit when an outcome cannot be read, and fails the delivery', async () => {
    expect(fill('ada')).toBe(FAIR_SHARE);

    open.shift()!.end({ kind: 'accepted' } as Outcome); // an incomplete outcome
    await advance(1);

    const record = { status: 'UNDELIVERABLE', error: "The provider's answer cannot be read: it may have delivered", reason: 'FAILED' };
    expect(written).toMatchObject([{ kind: 'final', outcome: { workspace_id: 'ada', record } }]);
    expect(fill('ada')).toBe(1);
  });

  it('releases the permit when an attempt fails unexpectedly, and leases the delivery again', async () => {
    const take = jest.spyOn(DeliveryLeases.prototype, 'claim');
    expect(fill('ada')).toBe(FAIR_SHARE);
    dispatcher.start();
    await advance(SOON_MS);
    expect(take.mock.lastCall![1]).toHaveLength(FAIR_SHARE);

    open.shift()!.end(Promise.reject(new Error('unforeseen')));
    await advance(LEASE_MS + 1);

    expect(written).toEqual([]);
    expect(take.mock.lastCall![1]).toHaveLength(FAIR_SHARE - 1);
    expect(fill('ada')).toBe(1);
  });
});

function dueRow(workspaceId: string): LeasedRow {
  const where = { channel: { id: 'email' }, integration: { id: 'default', provider: 'smtp' } };
  const profile = { email: 'ada@example.com' };
  const events: LeasedRow['first_events'] = [
    { ts: 0, type: 'ENQUEUED', data: {}, event: '', profile, recipient: 'ada' },
    { ts: 0, type: 'PROFILE_LOADED', stored_profile: {} },
    { ts: 0, type: 'RENDERED', ...where, output: { subject: 'Due', html: '<p>x</p>', text: 'x' } },
  ];
  return {
    workspace_id: workspaceId,
    message_id: randomUUID(),
    leaf: 0,
    lane: laneNumber('normal'),
    channel: 'email',
    integration: 'default',
    provider: 'smtp',
    alias: null,
    more: false,
    hasSlot: false,
    isAnnounced: true,
    attempt: 1,
    orphaned: false,
    last_error: null,
    last_response: null,
    since_ms: '0',
    first_events: events,
    step_events: events,
  };
}
