import type { MessageStatus } from '@tidings/contracts/messaging/message-states';
import type { LeafRecord, LeafStatus } from './leaf-record';
import { deriveStatus } from './derive-status';

const leaf = (status: LeafStatus, fields: Partial<LeafRecord> = {}): LeafRecord => ({
  channel: { key: 'email' },
  provider: 'smtp',
  status,
  ...fields,
});
const failed = (error: string): LeafRecord => leaf('UNDELIVERABLE', { error, reason: 'PROVIDER_ERROR' });

describe('the status of a message', () => {
  it.each<[string, MessageStatus, LeafRecord[], boolean, object]>([
    ['nothing happened yet', 'ROUTED', [], true, { status: 'ROUTED' }],
    ['sent', 'ROUTED', [leaf('SENT', { sent: 5 })], false, { status: 'SENT', sent_at: 5 }],
    [
      'sent and delivered',
      'ROUTED',
      [leaf('DELIVERED', { sent: 5, delivered: 6 })],
      false,
      { status: 'DELIVERED', sent_at: 5, delivered_at: 6 },
    ],
    ['failed', 'ROUTED', [failed('no')], false, { status: 'UNDELIVERABLE', reason: 'PROVIDER_ERROR', error: 'no' }],
    ['failed, and the next route is in use', 'ROUTED', [failed('no')], true, { status: 'ROUTED' }],
    ['failed, then sent by another route', 'ROUTED', [failed('no'), leaf('SENT', { sent: 9 })], false, { status: 'SENT', sent_at: 9 }],
    ['every route failed: the last error', 'ROUTED', [failed('no'), failed('nor this')], false, { error: 'nor this' }],
    ['one of several failed', 'SENT', [leaf('DELIVERED', { sent: 5, delivered: 6 }), failed('no')], false, { status: 'DELIVERED' }],
    [
      'several routes: the furthest stage, the earliest times',
      'SENT',
      [leaf('DELIVERED', { sent: 8, delivered: 9 }), leaf('OPENED', { sent: 5, delivered: 20, opened: 30 })],
      false,
      { status: 'OPENED', sent_at: 5, delivered_at: 9 },
    ],
    [
      'the only sent one bounced',
      'SENT',
      [leaf('UNDELIVERABLE', { sent: 5, reason: 'BOUNCED' })],
      false,
      { status: 'UNDELIVERABLE', reason: 'BOUNCED', sent_at: 5 },
    ],
    [
      'one of two that were sent bounced',
      'SENT',
      [leaf('UNDELIVERABLE', { sent: 5 }), leaf('SENT', { sent: 6 })],
      false,
      { status: 'SENT', sent_at: 5 },
    ],
    [
      'delivered reported after opened: no step back',
      'OPENED',
      [leaf('DELIVERED', { sent: 5, delivered: 50 })],
      false,
      { status: 'OPENED', delivered_at: 50 },
    ],
    ['simulated', 'ROUTED', [leaf('SIMULATED')], false, { status: 'SIMULATED' }],
    ['simulated on one route, rendering failed on another', 'ROUTED', [failed('no'), leaf('SIMULATED')], false, { status: 'SIMULATED' }],
  ])('%s', (_case, current, leaves, isInProgress, expected) => {
    const derived = deriveStatus(current, leaves, isInProgress);
    expect(derived).toMatchObject(expected);
    if (derived.status !== 'UNDELIVERABLE') expect(derived).not.toHaveProperty('error');
  });
});
