import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { Outcome } from '@tidings/contracts/core/idempotency';
import {
  type CompleteSendKey,
  type NamedSendKey,
  type ReservedSendKey,
  type ReserveSendKey,
  sendKeys,
} from '@tidings/contracts/messaging/send-keys';
import { expectError } from '../testing/expect-error';
import { startTestGateway, type TestGateway } from '../testing/start-test-gateway';

interface KeyRecord {
  messageId: string;
  holder?: string;
  outcome?: Outcome;
}

/** The keys of sends as messaging keeps them. */
class SendKeys {
  readonly records = new Map<string, KeyRecord>();
  /** Whether outcomes are lost, as if the gateway had died before. */
  forgetful = false;

  constructor({ client }: TestGateway) {
    client.answer(sendKeys.reserve, (context, request: ReserveSendKey) => this.reserve(context, request));
    client.answer(sendKeys.complete, (_context, { id, outcome }: CompleteSendKey) => {
      if (this.forgetful) throw new ServiceError('unavailable', 'Lost');
      this.records.get(id)!.outcome = outcome;
    });
    client.answer(sendKeys.release, (_context, { id }: NamedSendKey) => {
      this.records.get(id)!.holder = undefined;
    });
  }

  private reserve({ callId }: CallContext, { id, message_id }: ReserveSendKey): ReservedSendKey {
    const record = this.records.get(id) ?? { messageId: message_id };
    this.records.set(id, record);
    if (record.outcome) return { state: 'replay', outcome: record.outcome };
    if (record.holder) return { state: 'in_flight' };
    record.holder = callId;
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

it('accepts a send once for its key, and says so of the answers that follow', async () => {
  const first = await post();
  const second = await post({ ...MESSAGE, to: { user_id: 'bert' } });

  expect([first.status, second.status]).toEqual([202, 202]);
  expect([first.headers.get('idempotent-replayed'), second.headers.get('idempotent-replayed')]).toEqual([null, 'true']);
  const id = await idOf(first);
  expect(await idOf(second)).toBe(id);
  expect(appendedIds()).toEqual([id]);
  expect(gateway.events.appended[0]!.payload).toMatchObject({ idempotencyKey: 'order-17' });
});

it('asks nobody about a send without a key', async () => {
  expect((await post(MESSAGE, null)).status).toBe(202);

  expect(gateway.client.callsOf(sendKeys.reserve)).toEqual([]);
  expect(gateway.events.appended[0]!.payload).not.toHaveProperty('idempotencyKey');
});

it('sends under the same id what an earlier request may have sent already', async () => {
  keys.forgetful = true;
  const first = await idOf(await post());
  [...keys.records.values()][0]!.holder = undefined; // its lease is over

  expect(await idOf(await post())).toBe(first);
  expect(appendedIds()).toEqual([first, first]);
});

it('refuses a send while another one with its key is not answered', async () => {
  keys.forgetful = true;
  await post();
  const answer = await post();

  expect([answer.headers.get('retry-after'), answer.headers.get('x-should-retry')]).toEqual(['1', 'true']);
  expect(await expectError(answer, 409)).toContain('Idempotency-Key');
  expect(appendedIds()).toHaveLength(1);
});

it.each(['unavailable', 'deadline_exceeded'] as const)(
  'accepts nothing with a key whose look-up ends with %s, and everything without',
  async (code) => {
    gateway.client.answer(sendKeys.reserve, () => {
      throw new ServiceError(code, 'Not now');
    });

    const refused = await post();
    expect(refused.headers.get('retry-after')).toBe('1');
    await expectError(refused, 503, 'internal_error');
    expect((await post(MESSAGE, null)).status).toBe(202);
    expect(appendedIds()).toHaveLength(1);
  },
);

it('gives the key back when the log did not take the send, under the same id', async () => {
  gateway.events.failure = new ServiceError('deadline_exceeded', 'It is not known whether the log kept it');
  await expectError(await post(), 504, 'internal_error');
  const [{ messageId }] = [...keys.records.values()] as [KeyRecord];
  gateway.events.failure = undefined;

  const answer = await post();

  expect(answer.headers.get('idempotent-replayed')).toBeNull();
  expect(await idOf(answer)).toBe(messageId);
});

it('keeps that a send broke inside, and says it again', async () => {
  gateway.events.failure = new TypeError('secret') as unknown as ServiceError;
  await expectError(await post(), 500, 'internal_error');
  gateway.events.failure = undefined;

  const again = await post();

  expect([again.headers.get('idempotent-replayed'), again.headers.get('x-should-retry')]).toEqual(['true', 'false']);
  expect(await expectError(again, 500, 'internal_error')).not.toContain('secret');
  expect(appendedIds()).toEqual([]);
});

it('reserves nothing for a send that is not valid', async () => {
  await expectError(await post({ ...MESSAGE, to: {} }), 400);
  await expectError(await post({ ...MESSAGE, delay: { duration: -1 } }), 400);

  expect(keys.records.size).toBe(0);
  expect((await post()).status).toBe(202);
});
