import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { keyReused, type Outcome } from '@tidings/contracts/core/idempotency';
import {
  type CompleteSendKey,
  type ReleaseSendKey,
  type ReservedSendKey,
  type ReserveSendKey,
  sendKeys,
} from '@tidings/contracts/messaging/send-keys';
import { providers } from '@tidings/contracts/messaging/providers';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

interface KeyRecord {
  messageId: string;
  bodyHash?: string;
  leasedBy?: string;
  outcome?: Outcome;
}

/** A fake of messaging's store of send keys. */
class SendKeys {
  /** Loses outcomes, as if the gateway had crashed before storing them. */
  losesOutcomes = false;

  constructor(
    { client }: TestGateway,
    readonly records = new Map<string, KeyRecord>(),
  ) {
    client.answer(sendKeys.reserve, (context, request: ReserveSendKey) => this.reserve(context, request));
    client.answer(sendKeys.complete, (_context, { id, outcome }: CompleteSendKey) => {
      if (this.losesOutcomes) throw new ServiceError('unavailable', 'Lost');
      this.records.get(id)!.outcome = outcome;
    });
    client.answer(sendKeys.release, (_context, { id, message_id }: ReleaseSendKey) => {
      const record = this.records.get(id)!;
      record.leasedBy = undefined;
      if (record.messageId === message_id) this.records.delete(id);
    });
  }

  private reserve({ callId }: CallContext, { id, message_id, body_hash: bodyHash }: ReserveSendKey): ReservedSendKey {
    const record = this.records.get(id) ?? { messageId: message_id, bodyHash };
    this.records.set(id, record);
    if (record.bodyHash !== bodyHash) throw keyReused(new Date(0));
    if (record.outcome) return { state: 'replay', outcome: record.outcome };
    if (record.leasedBy) return { state: 'in_flight' };
    record.leasedBy = callId;
    return { state: 'new', message_id: record.messageId };
  }
}

let gateway: TestGateway;
let keys: SendKeys;
beforeEach(async () => {
  gateway = await startTestGateway();
  keys = new SendKeys(gateway);
});
afterEach(() => gateway.stop());

const MESSAGE = { to: { user_id: 'anna' }, content: { title: 'Hello', body: 'World' } };
const post = (message: unknown = MESSAGE, key: string | null = 'order-17'): Promise<Response> =>
  gateway.request('/send', {
    method: 'POST',
    body: JSON.stringify({ message }),
    headers: { 'content-type': 'application/json', ...(key !== null && { 'idempotency-key': key }) },
  });
const idOf = async (answer: Response): Promise<string> => ((await answer.json()) as { requestId: string }).requestId;
const appendedIds = (): string[] => gateway.events.appended.map(({ id }) => id);

it('accepts a send once per key, and marks the replayed answers', async () => {
  const first = await post();
  const second = await post();

  expect([first.status, second.status]).toEqual([202, 202]);
  expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
  const id = await idOf(first);
  expect(await idOf(second)).toBe(id);
  expect(appendedIds()).toEqual([id]);
  expect(gateway.events.appended[0]!.payload).toMatchObject({ idempotencyKey: 'order-17' });
});

it('refuses a send with another body under its key, whatever its order of keys', async () => {
  await post();

  const { to, content } = MESSAGE;
  const another = await post({ ...MESSAGE, to: { user_id: 'bert' } });
  const reordered = await post({ content: { body: content.body, title: content.title }, to });

  expect(await expectError(another, 422)).toContain('1970-01-01T00:00:00.000Z');
  expect([reordered.status, reordered.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
  expect(appendedIds()).toHaveLength(1);
});

it('reserves no key for a send without one', async () => {
  expect((await post(MESSAGE, null)).status).toBe(202);

  expect(gateway.client.callsOf(sendKeys.reserve)).toEqual([]);
  expect(gateway.events.appended[0]!.payload).not.toHaveProperty('idempotencyKey');
});

it('appends a repeated send under the id of the earlier request', async () => {
  keys.losesOutcomes = true;
  const first = await idOf(await post());
  [...keys.records.values()][0]!.leasedBy = undefined; // its lease has ended

  expect(await idOf(await post())).toBe(first);
  expect(appendedIds()).toEqual([first, first]);
});

it('refuses a send while another one with its key is open', async () => {
  keys.losesOutcomes = true;
  await post();
  const answer = await post();

  expect([answer.headers.get('retry-after'), answer.headers.get('x-should-retry')]).toEqual(['2', 'true']);
  expect(await expectError(answer, 409)).toContain('Idempotency-Key');
  expect(appendedIds()).toHaveLength(1);
});

it.each(['unavailable', 'deadline_exceeded'] as const)(
  'refuses a send whose key lookup ends with %s, and accepts sends without a key',
  async (code) => {
    gateway.client.answer(sendKeys.reserve, () => {
      throw new ServiceError(code, 'Unavailable');
    });

    const refused = await post();
    expect(refused.headers.get('retry-after')).toBe('1');
    await expectError(refused, 503, 'internal_error');
    expect((await post(MESSAGE, null)).status).toBe(202);
    expect(appendedIds()).toHaveLength(1);
  },
);

it('releases the key when the append fails, and keeps its id', async () => {
  gateway.events.failure = new ServiceError('deadline_exceeded', 'It is unknown whether the log appended it');
  await expectError(await post(), 504, 'internal_error');
  const [{ messageId }] = [...keys.records.values()] as [KeyRecord];
  gateway.events.failure = undefined;

  const answer = await post();

  expect(answer.headers.get('idempotent-replayed')).toBeNull();
  expect(await idOf(answer)).toBe(messageId);
});

it('stores an internal error, and replays it', async () => {
  gateway.events.failure = new TypeError('secret') as unknown as ServiceError;
  await expectError(await post(), 500, 'internal_error');
  gateway.events.failure = undefined;

  const again = await post();

  expect([again.headers.get('idempotent-replayed'), again.headers.get('x-should-retry')]).toEqual(['true', 'false']);
  expect(await expectError(again, 500, 'internal_error')).not.toContain('secret');
  expect(appendedIds()).toEqual([]);
});

it('reserves no key for an invalid send', async () => {
  await expectError(await post({ ...MESSAGE, to: {} }), 400);
  await expectError(await post({ ...MESSAGE, delay: { duration: -1 } }), 400);

  expect(keys.records.size).toBe(0);
  expect((await post()).status).toBe(202);
});

describe('a send that names a provider by its alias', () => {
  const message = { ...MESSAGE, routing: { method: 'single', channels: ['mine'] } };
  const configure = (...aliases: string[]): void => {
    const results = aliases.map((alias) => ({ id: `prv_${alias}`, provider: 'http', title: 'One', alias, settings: {}, created: 1 }));
    gateway.client.answer(providers.list, () => ({ paging: { more: false }, results }));
  };

  it('is answered from its key after the provider was deleted', async () => {
    configure('mine');
    const id = await idOf(await post(message));
    const records = keys.records;
    await gateway.stop();
    // Another gateway, which has cached no names.
    gateway = await startTestGateway();
    keys = new SendKeys(gateway, records);
    configure('other');

    const again = await post(message);

    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    expect(await idOf(again)).toBe(id);
  });

  it('releases its key when the alias is unknown', async () => {
    configure('other');
    await expectError(await post(message), 400);

    const corrected = await post({ ...message, routing: { method: 'single', channels: ['other'] } });

    expect([corrected.status, corrected.headers.get('idempotent-replayed')]).toEqual([202, null]);
  });
});
