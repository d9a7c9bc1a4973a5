import type { ProviderEventKind, ProviderEventReported } from '@tidings/contracts/messaging/provider-events';
import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { LeafRecord } from '../record/leaf-record';
import type { ReportedMessage, ReportedOpenState } from './event-store';
import { changeMessage } from './change-message';

const NOW = 10_000;
const UUID = '69a40ce0-5f2b-9c01-d3e8-4a7766aa10fe';
const event = (kind: ProviderEventKind, fields: Partial<ProviderEventReported> = {}): ProviderEventReported => ({
  workspaceId: 'w',
  subject: 's',
  eventId: `${kind}${JSON.stringify(fields)}`,
  provider: 'sendgrid',
  configurationId: 'prv_1',
  kind,
  at: 2_000,
  ...fields,
});
const HARD = event('BOUNCED', { reasonCode: 'HARD', details: '550 no' });
const SOFT = event('BOUNCED', { reasonCode: 'SOFT' });
const leaf = (fields: Partial<LeafRecord> = {}): LeafRecord => ({
  channel: { key: 'email' },
  provider: 'sendgrid',
  configuration_id: 'prv_1',
  status: 'SENT',
  sent: 1_000,
  reference: { id: 'r' },
  ...fields,
});
const message = (providers: readonly LeafRecord[] | null = [leaf()], status: MessageStatus = 'SENT'): ReportedMessage => ({
  workspaceId: 'w',
  uuid: UUID,
  status,
  recipient: 'ada',
  providers,
});
const after = (events: readonly ProviderEventReported[], given = message(), open?: ReportedOpenState) =>
  changeMessage(given, open, events, NOW);

function permutations<Item>(items: readonly Item[]): Item[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item, index) => permutations(items.toSpliced(index, 1)).map((rest) => [item, ...rest]));
}

it.each([
  [[event('DELIVERED')], 'DELIVERED'],
  [[event('DELIVERED'), event('OPENED')], 'OPENED'],
  [[event('DELIVERED'), event('OPENED'), event('CLICKED')], 'CLICKED'],
  [[event('CLICKED')], 'CLICKED'],
  [[HARD], 'UNDELIVERABLE'],
  [[SOFT], 'UNDELIVERABLE'],
  [[event('FAILED')], 'UNDELIVERABLE'],
  [[event('DELIVERED'), HARD], 'UNDELIVERABLE'],
  [[event('DELIVERED'), SOFT], 'DELIVERED'],
  [[event('DELIVERED'), event('OPENED'), HARD], 'OPENED'],
  [[event('DELIVERED'), event('COMPLAINED'), event('UNSUBSCRIBED')], 'DELIVERED'],
  [[SOFT, HARD], 'UNDELIVERABLE'],
] as const)('%j in any order and repeated end at %s', (events, status) => {
  for (const order of permutations([...events, ...events])) {
    let current = message();
    for (const one of order) {
      const { change } = after([one], current);
      if (change) current = { ...current, status: change.status, providers: change.providers };
    }
    expect([current.status, current.providers![0]!.status]).toEqual([status, status]);
  }
});

it('writes each stage once, with its time', () => {
  const { change } = after([event('DELIVERED'), event('DELIVERED'), event('OPENED', { at: 3_000 }), event('CLICKED', { at: 4_000 })]);

  expect(change!.events.map(({ type, ts }) => [type, ts])).toEqual([
    ['DELIVERED', 2_000],
    ['OPENED', 3_000],
    ['CLICKED', 4_000],
  ]);
  expect(change).toMatchObject({ sent_at: 1_000, delivered_at: 2_000, opened_at: 3_000, clicked_at: 4_000 });
});

it('records a bounce with its reason, and keeps what was sent', () => {
  const { change } = after([HARD]);

  const error = 'sendgrid reported a hard bounce: 550 no';
  expect(change).toMatchObject({ status: 'UNDELIVERABLE', reason: 'BOUNCED', error, sent_at: 1_000 });
  expect(change!.events).toEqual([
    expect.objectContaining({ type: 'UNDELIVERABLE', error_message: error, reason: 'BOUNCED', reasonCode: 'HARD' }) as unknown,
  ]);
  expect(change!.providers[0]).toMatchObject({ status: 'UNDELIVERABLE', bounced: 2_000, error });
});

it('a message of several routes stays delivered when one of them bounces later', () => {
  const routes = [
    leaf({ configuration_id: 'prv_2', status: 'UNDELIVERABLE', error: 'no' }),
    leaf({ status: 'DELIVERED', delivered: 1_500 }),
  ];

  const { change } = after([HARD], message(routes, 'DELIVERED'));

  expect([change!.status, change!.reason, change!.providers[1]!.status]).toEqual(['DELIVERED', undefined, 'UNDELIVERABLE']);
});

it('a message of several routes ends at the same status in any order of their reports', () => {
  const routes = [leaf(), leaf({ configuration_id: 'prv_2', reference: { id: 'r2' } })];
  const bounced = event('BOUNCED', { reasonCode: 'HARD', configurationId: 'prv_2' });
  for (const order of permutations([event('DELIVERED'), HARD, bounced])) {
    let current = message(routes);
    for (const one of order) current = { ...current, ...after([one], current).change };
    expect(current.status).toBe('DELIVERED');
  }
});

it('what was opted out before ends for that reason', () => {
  expect(after([event('FAILED', { optedOut: true })]).change).toMatchObject({ status: 'UNDELIVERABLE', reason: 'UNSUBSCRIBED' });
});

it('a text of several parts is delivered with the last of them', () => {
  const parted = message([leaf({ reference: { id: 'r', parts: '2' } })]);
  const part = (reference: string) => event('DELIVERED', { reference });

  const first = after([part('r'), part('r')], parted);
  expect([first.change!.status, first.change!.events]).toEqual(['SENT', []]);
  const second = after([part('r2')], { ...parted, providers: first.change!.providers });
  expect(second.change!.status).toBe('DELIVERED');
});

it('is too early for a route that has not ended, and changes nothing of a canceled message', () => {
  expect(after([HARD], message(null))).toEqual({ applied: [], early: [HARD] });
  expect(after([event('DELIVERED', { configurationId: 'prv_9' })]).early).toHaveLength(1);
  expect(after([event('DELIVERED')], message([leaf()], 'CANCELED')).change!.status).toBe('CANCELED');
});

it('a bounce starts the next route of a message that is still open', () => {
  const routes = [leaf()];
  const tree = {
    root: { method: 'single' as const, of: [0, 1] },
    leaves: [
      { channel: 'email', integration: 'prv_1', provider: 'sendgrid' },
      { channel: 'sms', integration: 'prv_2', provider: 'twilio' },
    ],
    states: ['sent' as const, 'waiting' as const],
    startedAt: [1, null],
    sentAt: [1_000, null],
    since: 1,
  };
  const open = { uuid: UUID, state: { tree, records: routes, escalation: { criteria: 'delivered' as const, afterMs: 60_000 } } };

  const bounced = after([HARD], message(routes), open);
  expect([bounced.change!.status, bounced.open!.wait_ms, bounced.open!.state!.tree!.states]).toEqual(['SENT', 0, ['failed', 'waiting']]);

  const delivered = after([event('DELIVERED')], message(routes), open);
  expect([delivered.change!.status, delivered.open!.state]).toEqual(['DELIVERED', null]);
});
