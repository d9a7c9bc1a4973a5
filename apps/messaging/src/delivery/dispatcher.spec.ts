import '@tidings/testing/quiet';
import { randomUUID } from 'node:crypto';
import type { Database } from '@tidings/persistence/database';
import type { Outcome } from '@tidings/providers/provider';
import { systemClock } from '@tidings/runtime/clock';
import { ManualTimers } from '@tidings/testing/manual-timers';
import { ownerName } from '../store/fair-due';
import { DeliveryLeases, type LeasedRow } from '../store/lease-store';
import { laneNumber } from '../store/step';
import { LEASE_MS } from '../store/step-store';
import { WorkTimes } from '../store/work-times';
import type { Conclusion } from './conclude';
import { Dispatcher, OPEN_ATTEMPTS_MAX } from './dispatcher';
import type { LeasedDelivery } from './delivery';
import type { ProviderCalls } from './provider-calls';
import { toHeldDelivery } from './leased-delivery';
import type { OutcomeWriter } from './outcome-writer';

/** What one owner holds at most where others might come: two thirds. */
const FAIR_SHARE = 85;
const ENDINGS = 300;
/** Within it nothing waits that has a place. */
const SOON_MS = 2_000;
/** Longer than anything but a call that hangs. */
const HANG_MS = 60_000;
const SENT: Outcome = { kind: 'accepted', reference: {}, delivered: true };

describe('places that come free one by one', () => {
  let backlog: LeasedRow[];
  let open: { workspaceId: string; end: (outcome?: Outcome | Promise<Outcome>) => void }[];
  let written: Conclusion[];
  let statements: number;
  /** How often is asked in how many ms is counted, whatever the machine does meanwhile. */
  let timers: ManualTimers;
  let dispatcher: Dispatcher;

  beforeEach(() => {
    timers = new ManualTimers();
    [backlog, open, written, statements] = [[], [], [], 0];
    jest.spyOn(DeliveryLeases.prototype, 'take').mockImplementation((limit, _held, full) => {
      statements += 1;
      const isFull = ({ workspace_id, lane }: LeasedRow) => full.includes(ownerName({ workspaceId: workspace_id, lane: laneNumber(lane) }));
      const taken = backlog.filter((row) => !isFull(row)).slice(0, limit);
      backlog = backlog.filter((row) => !taken.includes(row));
      return Promise.resolve(taken);
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
    const database = { query: () => Promise.resolve([]) } as unknown as Database;
    dispatcher = new Dispatcher(database, calls as ProviderCalls, outcomes as OutcomeWriter, systemClock, new WorkTimes(), timers);
  });

  afterEach(async () => {
    backlog = [];
    const stopped = dispatcher.stop();
    for (const { end } of open) end();
    await pass(SOON_MS);
    await stopped;
    jest.restoreAllMocks();
  });

  const pass = (ms: number) => timers.advance(ms);
  const due = (workspaceId: string, count: number): void => {
    backlog.push(...Array.from({ length: count }, () => dueRow(workspaceId)));
  };
  /** As many fresh deliveries of an owner as there is room for, which are told. */
  const fill = (workspaceId: string): number => {
    let filled = 0;
    for (let delivery = fresh(workspaceId); dispatcher.reserve(delivery); delivery = fresh(workspaceId)) {
      dispatcher.accept(delivery);
      filled += 1;
    }
    return filled;
  };
  const fresh = (workspaceId: string): LeasedDelivery => toHeldDelivery(dueRow(workspaceId));
  const isFor = (owner: string) => open.some(({ workspaceId }) => workspaceId === owner);
  /** Ends the oldest call, of an owner where one is named. */
  const endOne = async (owner = open[0]!.workspaceId): Promise<void> => {
    const [oldest] = open.splice(
      open.findIndex(({ workspaceId }) => workspaceId === owner),
      1,
    );
    oldest!.end();
    await pass(1);
  };

  it('are filled many at a time where much is due to many', async () => {
    const owners = Array.from({ length: OPEN_ATTEMPTS_MAX / 2 }, (_, n) => `owner ${n}`);
    for (const owner of [...owners, ...owners]) due(owner, 1);
    dispatcher.start();
    await pass(SOON_MS);
    for (let round = 0; round * owners.length < 2 * ENDINGS; round += 1) for (const owner of owners) due(owner, 1);
    const before = { statements, due: backlog.length };

    for (let ended = 0; ended < ENDINGS; ended += 1) await endOne();

    expect(before.due - backlog.length).toBeGreaterThan(ENDINGS / 2);
    expect(statements - before.statements).toBeLessThan(ENDINGS / 10);
    await pass(SOON_MS);
    expect(open).toHaveLength(OPEN_ATTEMPTS_MAX);
  });

  it('are looked for once for many where what is due is of who may have no more', async () => {
    expect(fill('busy')).toBe(FAIR_SHARE);
    fill('lively');
    due('busy', 1);
    dispatcher.start();
    await pass(SOON_MS);
    const before = statements;

    for (let ended = 0; ended < ENDINGS; ended += 1) {
      await endOne('lively');
      fill('lively'); // as fresh messages come
    }

    expect(statements - before).toBeLessThan(ENDINGS / 10);
    expect(backlog).toHaveLength(1);
    for (let ended = 0; ended < FAIR_SHARE / 3; ended += 1) await endOne('busy');
    await pass(SOON_MS);
    expect(backlog).toHaveLength(0);
  });

  it('are not looked for again and again while all calls of an owner hang who has more to come', async () => {
    fill('busy');
    due('busy', 50);
    dispatcher.start();
    await pass(SOON_MS);
    expect(backlog).toHaveLength(50);
    const before = statements;

    await pass(HANG_MS);

    expect(statements - before).toBeLessThan(HANG_MS / 100);
  });

  it('are used where it is a single one, by who had none', async () => {
    due('ada', OPEN_ATTEMPTS_MAX);
    dispatcher.start();
    await pass(SOON_MS);
    due('bob', 1);
    dispatcher.wakeIn(0);
    await pass(SOON_MS);
    expect(isFor('bob')).toBe(false);

    await endOne();
    await pass(SOON_MS);

    expect(isFor('bob')).toBe(true);
  });

  it('come free where the outcome of an attempt cannot be told: the delivery ends, and says so', async () => {
    expect(fill('ada')).toBe(FAIR_SHARE);

    open.shift()!.end({ kind: 'accepted' } as Outcome); // what a provider must not say
    await pass(1);

    const record = { status: 'UNDELIVERABLE', error: 'What the provider answered cannot be read: it may have delivered', reason: 'FAILED' };
    expect(written).toMatchObject([{ kind: 'final', outcome: { workspace_id: 'ada', record } }]);
    expect(fill('ada')).toBe(1);
  });

  it('come free where an attempt fails altogether: the delivery is leased again', async () => {
    const held = jest.spyOn(DeliveryLeases.prototype, 'take');
    expect(fill('ada')).toBe(FAIR_SHARE);
    dispatcher.start();
    await pass(SOON_MS);
    expect(held.mock.lastCall![1]).toHaveLength(FAIR_SHARE);

    open.shift()!.end(Promise.reject(new Error('unforeseen')));
    await pass(LEASE_MS + 1);

    expect(written).toEqual([]);
    expect(held.mock.lastCall![1]).toHaveLength(FAIR_SHARE - 1);
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
    lane: 'normal',
    channel: 'email',
    integration: 'default',
    provider: 'smtp',
    more: false,
    has_slot: false,
    announced: true,
    attempt: 1,
    orphaned: false,
    notification: '',
    since_ms: 0,
    first_events: events,
    step_events: events,
  };
}
