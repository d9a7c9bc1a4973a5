import type { VendorMatrix } from '../vendor/matrix.fixture';
import { pagerdutyKind } from './pagerduty';

export const webhookOf = (title: string, body: string) => ({ kind: 'webhook', webhook: { title, body, blocks: [] } }) as const;
const recipient = { channel: 'webhook', user_id: 'ada' } as const;
const invalid = (error: string) => ({
  status: 400,
  body: { status: 'invalid event', message: 'Event object is invalid', errors: [error] },
});

export const PAGERDUTY: VendorMatrix = {
  kind: pagerdutyKind,
  settings: () => ({ routing_key: 'the-integration-key-of-the-shop' }),
  message: { rendered: webhookOf('Disk full', 'Disk 7 of db-7 is full'), recipient },
  rows: {
    accepted: {
      answer: { status: 202, body: { status: 'success', message: 'Event processed', dedup_key: 'd-1' } },
      outcome: { kind: 'accepted', reference: { id: 'd-1' }, delivered: false },
    },
    badCredentials: {
      answer: invalid("'routing_key' is invalid"),
      outcome: {
        kind: 'failed',
        cause: 'configuration',
        error: "PagerDuty answered 400: Event object is invalid: 'routing_key' is invalid",
      },
    },
    tooLarge: { answer: { status: 413 }, outcome: { kind: 'failed', cause: 'permanent' } },
    'an invalid event': { answer: invalid("'payload.severity' is invalid"), outcome: { kind: 'failed', cause: 'permanent' } },
  },
  unfit: {
    rendered: webhookOf('Disk full', ''),
    recipient: { ...recipient, pagerduty: { dedup_key: 'x'.repeat(256) } },
    reason: 'profile.pagerduty.dedup_key must be a text of 1 to 255 characters',
  },
  test: 'PagerDuty cannot be tested without an incident',
};
