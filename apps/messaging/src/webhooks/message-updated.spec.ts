import type { MessageStatus as Status } from '@tidings/contracts/messaging/message-states';
import type { MessageRow } from '../record/message-row';
import { isStatusChange, messageUpdated } from './message-updated';

const ROW = {
  id: '69a40ce0-5f2b-9c01-d3e8-4a7766aa10fe',
  status: 'DELIVERED',
  recipient: 'ada',
  event: '',
  notification: '',
  enqueued_at: '1',
  sent_at: '2',
  delivered_at: '3',
  opened_at: null,
  clicked_at: null,
  canceled_at: null,
  reason: null,
  error: null,
  tags: null,
  list_id: null,
  request_id: null,
  job_id: null,
  idempotency_key: null,
  providers: [
    { channel: { key: 'push' }, provider: 'apn', status: 'UNDELIVERABLE', error: 'no' },
    { channel: { key: 'email' }, provider: 'smtp', status: 'DELIVERED', sent: 2, delivered: 3 },
  ],
} as const satisfies Record<keyof Omit<MessageRow, 'counts' | 'in_progress'>, unknown>;
const row = (fields: Partial<MessageRow> = {}): MessageRow => ({ ...ROW, providers: [...ROW.providers], ...fields });

describe('an event of the history changes the status', () => {
  it.each<[what: string, reported: Status, current: Status, earlier: Status[], later: Status[], expected: boolean]>([
    ['to the next stage', 'SENT', 'DELIVERED', ['ENQUEUED', 'ROUTED'], ['DELIVERED'], true],
    ['not to a stage that another route reached', 'SENT', 'SENT', ['ENQUEUED', 'ROUTED', 'SENT'], [], false],
    ['not back', 'DELIVERED', 'OPENED', ['SENT', 'OPENED'], [], false],
    ['to a stage after a failed route', 'SENT', 'SENT', ['ROUTED', 'UNDELIVERABLE', 'ROUTED'], [], true],
    ['not by the failure of a route before another', 'UNDELIVERABLE', 'ROUTED', ['ROUTED'], [], false],
    ['by the last failure', 'UNDELIVERABLE', 'UNDELIVERABLE', ['ROUTED', 'UNDELIVERABLE'], [], true],
    ['not by an earlier failure', 'UNDELIVERABLE', 'UNDELIVERABLE', ['ROUTED'], ['SENT', 'UNDELIVERABLE'], false],
    ['not by a channel that is filtered', 'FILTERED', 'ROUTED', ['ENQUEUED'], ['ROUTED'], false],
    ['not by a report after the failure', 'DELIVERED', 'UNDELIVERABLE', ['SENT', 'UNDELIVERABLE'], [], false],
    ['to a stage before the failure', 'DELIVERED', 'UNDELIVERABLE', ['SENT'], ['UNDELIVERABLE'], true],
    ['by its cancelation', 'CANCELED', 'CANCELED', ['ENQUEUED', 'DELAYED'], [], true],
  ])('%s', (_what, reported, current, earlier, later, expected) => {
    expect(isStatusChange({ reported, earlier, later }, current)).toBe(expected);
  });
});

describe('the record of an event', () => {
  const updated = (given: MessageRow, reported: Status, earlier: Status[] = []) => messageUpdated(given, { reported, earlier });

  it('is that of the message in its present status', () => {
    expect(updated(row(), 'DELIVERED')).toMatchObject({ status: 'DELIVERED', sent: 2, delivered: 3, recipientId: 'ada' });
  });

  it('of an earlier stage has no later times, and no later status of a route', () => {
    const { delivered, providers, ...sent } = updated(row(), 'SENT');
    expect(sent).toMatchObject({ status: 'SENT', sent: 2 });
    expect(delivered).toBeUndefined();
    expect(providers).toMatchObject([{ status: 'UNDELIVERABLE' }, { status: 'SENT', sent: 2 }]);
    expect(providers![1]!.delivered).toBeUndefined();
    expect(updated(row(), 'ROUTED').providers).toMatchObject([{ provider: 'apn' }]);
  });

  it('of a stage has no failure', () => {
    const failed = row({ status: 'UNDELIVERABLE', error: 'no', reason: 'BOUNCED', delivered_at: null });
    expect(updated(failed, 'SENT').error).toBeUndefined();
    expect(updated(failed, 'UNDELIVERABLE')).toMatchObject({ error: 'no', reason: 'BOUNCED' });
  });

  it('of a failure has its reason, also once the recipient opened the message', () => {
    const failure = { reason: 'BOUNCED', error: 'no such user' } as const;
    const routes: MessageRow['providers'] = [{ ...ROW.providers[1], ...failure, reason: undefined, status: 'OPENED', opened: 4, failure }];
    const opened = row({ status: 'OPENED', delivered_at: null, opened_at: '4', providers: routes });

    const { opened: at, ...record } = updated(opened, 'UNDELIVERABLE', ['ENQUEUED', 'ROUTED', 'SENT']);

    expect(record).toMatchObject({ status: 'UNDELIVERABLE', ...failure, sent: 2, providers: [{ status: 'UNDELIVERABLE', sent: 2 }] });
    expect([at, record.providers![0]!.opened]).toEqual([undefined, undefined]);
  });
});
