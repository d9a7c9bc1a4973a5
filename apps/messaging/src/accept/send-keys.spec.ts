import { randomUUID } from 'node:crypto';
import type { CallContext } from '@tidings/contracts/core/context';
import { KEY_RETENTION_MS_MIN, keyInFlight, type Outcome } from '@tidings/contracts/core/idempotency';
import { newMessageId } from '@tidings/contracts/messaging/message-id';
import { type ReservedSendKey, sendKeys } from '@tidings/contracts/messaging/send-keys';
import { contextOf } from '@tidings/testing/context-of';
import { describeWorkspaceIsolation } from '@tidings/testing/workspace-isolation';
import { Messaging } from '../testing/start-messaging';

const OUTCOME: Outcome = { ok: { requestId: '1' } };
const expires_at = Date.now() + 7 * KEY_RETENTION_MS_MIN;
const newId = (): string => randomUUID().replaceAll('-', '').padEnd(43, '_');

let messaging: Messaging;
beforeAll(async () => {
  messaging = await Messaging.create();
  await messaging.start();
});
afterAll(() => messaging.end());

const reserve = (id: string, context: CallContext = messaging.context, message_id = newMessageId(Date.now())): Promise<ReservedSendKey> =>
  messaging.call(sendKeys.reserve, { id, message_id }, context);

describe('the key of a send', () => {
  it('is reserved by one of fifty calls, whose outcome the others get', async () => {
    const id = newId();
    const contexts = Array.from({ length: 50 }, () => messaging.context);

    const states = await Promise.all(contexts.map((context) => reserve(id, context)));

    const winner = states.findIndex(({ state }) => state === 'new');
    expect(states.filter((_, index) => index !== winner).every(({ state }) => state === 'in_flight')).toBe(true);
    await messaging.call(sendKeys.complete, { id, outcome: OUTCOME, expires_at }, contexts[winner]);
    expect(await reserve(id)).toEqual({ state: 'replay', outcome: OUTCOME });
  });

  it('keeps its message id when it is released and reserved again', async () => {
    const id = newId();
    const [context, message_id] = [messaging.context, newMessageId(Date.now())];
    expect(await reserve(id, context, message_id)).toEqual({ state: 'new', message_id });
    await messaging.call(sendKeys.release, { id }, context);

    expect(await reserve(id)).toEqual({ state: 'new', message_id });
  });

  it('is a new one after a release that names the reserved id, and only then', async () => {
    const id = newId();
    const [message_id, another] = [newMessageId(Date.now()), newMessageId(Date.now())];
    for (const [unused, next] of [
      [another, message_id],
      [message_id, another],
    ]) {
      const { context } = messaging;
      await reserve(id, context, message_id);
      await messaging.call(sendKeys.release, { id, message_id: unused }, context);
      expect(await reserve(id, context, another)).toEqual({ state: 'new', message_id: next });
      await messaging.call(sendKeys.release, { id }, context);
    }
  });

  it('is refused for another body than that of the first request, and for none after a refusal', async () => {
    const id = newId();
    const [one, other] = [newId(), newId()];
    const { context } = messaging;
    const message_id = newMessageId(Date.now());
    const reserveFor = (body_hash: string): Promise<ReservedSendKey> =>
      messaging.call(sendKeys.reserve, { id, message_id, body_hash }, context);
    await reserveFor(one);

    await expect(reserveFor(other)).rejects.toMatchObject({ code: 'key_reused' });
    await messaging.call(sendKeys.release, { id }, context);
    await expect(reserveFor(other)).rejects.toMatchObject({ code: 'key_reused' });
    expect(await reserveFor(one)).toEqual({ state: 'new', message_id });

    await messaging.call(sendKeys.release, { id, message_id }, context);
    expect(await reserveFor(other)).toEqual({ state: 'new', message_id });
  });

  it('can be reserved again, with the same message id, when the lease of a dead gateway has ended', async () => {
    const id = newId();
    const { message_id } = await reserve(id);
    expect(await reserve(id)).toEqual({ state: 'in_flight' });

    // What an SDK's attempts outlast: the second one is answered with a `Retry-After` of a lease.
    const [row] = await messaging.rows<{ left: number }>(
      `select extract(epoch from leased_until - clock_timestamp()) * 1000 as left from messaging.idempotency_keys where id = $1`,
      [id],
    );
    expect(Number(row!.left)).toBeLessThanOrEqual(keyInFlight().hints.retryAfterSeconds! * 1000);
    // Ends the lease.
    await messaging.rows(`update messaging.idempotency_keys set leased_until = clock_timestamp() where id = $1`, [id]);

    expect(await reserve(id)).toEqual({ state: 'new', message_id });
  });

  it('is reserved, settled and released by repeated calls as by one', async () => {
    const [settled, released] = [newId(), newId()];
    const [context, message_id] = [messaging.context, newMessageId(Date.now())];
    const thrice = (call: () => Promise<unknown>) => Promise.all([call(), call(), call()]);

    expect(await thrice(() => reserve(settled, context, message_id))).toEqual(Array(3).fill({ state: 'new', message_id }));
    await thrice(() => messaging.call(sendKeys.complete, { id: settled, outcome: OUTCOME, expires_at }, context));
    expect(await reserve(settled)).toEqual({ state: 'replay', outcome: OUTCOME });

    await reserve(released, context, message_id);
    await thrice(() => messaging.call(sendKeys.release, { id: released }, context));
    expect(await reserve(released)).toEqual({ state: 'new', message_id });
  });

  it('is not released or settled by a call that has lost it', async () => {
    const id = newId();
    const [first, second] = [messaging.context, messaging.context];
    await reserve(id, first);
    await messaging.call(sendKeys.release, { id }, first);
    await reserve(id, second);

    await messaging.call(sendKeys.release, { id }, first);
    await messaging.call(sendKeys.complete, { id, outcome: { ok: 'late' }, expires_at }, first);

    expect(await reserve(id)).toEqual({ state: 'in_flight' });
    await messaging.call(sendKeys.complete, { id, outcome: OUTCOME, expires_at }, second);
    expect(await reserve(id)).toEqual({ state: 'replay', outcome: OUTCOME });
  });

  it('cannot be reserved while the database is unavailable', async () => {
    await messaging.withoutDatabase(async () => {
      await expect(reserve(newId())).rejects.toMatchObject({ code: 'unavailable' });
    });
  });

  describeWorkspaceIsolation('the key of a send', {
    arrange: async (owner) => {
      await reserve(ISOLATED, owner);
      await messaging.call(sendKeys.complete, { id: ISOLATED, outcome: OUTCOME, expires_at }, owner);
    },
    read: (owner) => reserve(ISOLATED, owner),
    attempts: {
      reserve: { attempt: (stranger) => reserve(ISOLATED, stranger) },
      complete: { attempt: (stranger) => messaging.call(sendKeys.complete, { id: ISOLATED, outcome: { ok: 1 }, expires_at }, stranger) },
      release: { attempt: (stranger) => messaging.call(sendKeys.release, { id: ISOLATED }, stranger) },
    },
  });
});

const ISOLATED = newId();

it('refuses invalid keys and message ids', async () => {
  await expect(reserve('short', contextOf(randomUUID()))).rejects.toMatchObject({ code: 'invalid_request' });
  await expect(reserve(newId(), contextOf(randomUUID()), 'no message')).rejects.toMatchObject({ code: 'invalid_request' });
});
