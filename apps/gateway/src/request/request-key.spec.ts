import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { KEY_RETENTION_MS_MAX, KEY_RETENTION_MS_MIN, type RequestKey } from '@tidings/contracts/core/idempotency';
import { auth, issuedTokens } from '@tidings/contracts/identity/issued-tokens';
import { userPreferences } from '@tidings/contracts/identity/user-preferences';
import { messages } from '@tidings/contracts/messaging/messages';
import { send } from '@tidings/contracts/messaging/send';
import { type ReserveSendKey, sendKeys } from '@tidings/contracts/messaging/send-keys';
import { expectError } from '../testing/expect-error';
import { RawConnection } from '../testing/raw-http';
import { KEY, startTestGateway, type TestGateway } from '../testing/start-test-gateway';
import { things } from '../testing/test-operations';

let gateway: TestGateway;
beforeEach(async () => {
  const operations = [...Object.values(things), ...Object.values(messages), ...Object.values(send)];
  gateway = await startTestGateway({ operations: [...operations, auth.issueToken, userPreferences.upsert] });
});
afterEach(() => gateway.stop());

const keysOf = (operation: { pattern: string }): (RequestKey | undefined)[] =>
  gateway.client.callsOf(operation).map(({ context }) => context.requestKey);

/** Archives a thing and resolves with the key that its service received. */
async function keyOf(headers: Record<string, string>, path = '/things/one/archive'): Promise<RequestKey | undefined> {
  const { status } = await gateway.request(path, { method: 'POST', headers });
  expect(status).toBe(202);
  return keysOf(things.archive).at(-1);
}

describe('the key of a request', () => {
  it('is sent to the service as a hash of fixed length', async () => {
    const key = await keyOf({ 'idempotency-key': 'order 17' });

    expect(key!.id).toMatch(/^[\w-]{43}$/);
    expect(key!.expiresAt / 1_000).toBeCloseTo((Date.now() + KEY_RETENTION_MS_MIN) / 1_000, -2);
    expect(await keyOf({})).toBeUndefined();
  });

  it('differs by path, and is the same for other spellings of a path', async () => {
    const headers = { 'idempotency-key': 'k' };
    const ids = [
      await keyOf(headers),
      await keyOf(headers, '/things/%6Fne/archive?x=1'),
      await keyOf(headers, '/things/two/archive'),
      await keyOf({ 'idempotency-key': 'K' }),
    ].map((key) => key!.id);

    expect(ids[1]).toBe(ids[0]);
    expect(new Set(ids).size).toBe(3);
  });

  it.each(['GET', 'PUT', 'DELETE'])('is ignored on %s', async (method) => {
    const body = method === 'PUT' ? '{}' : null;
    const headers = { 'idempotency-key': 'x'.repeat(300), 'x-idempotency-expiration': 'never', 'content-type': 'application/json' };
    expect((await gateway.request('/things/one', { method, body, headers })).status).toBeLessThan(300);

    expect([...keysOf(things.get), ...keysOf(things.put), ...keysOf(things.remove)]).toEqual([undefined]);
  });

  it('has 1 to 255 characters', async () => {
    await keyOf({ 'idempotency-key': 'ü'.repeat(255) });

    for (const key of ['', 'k'.repeat(256)]) {
      const answer = await gateway.request('/things/one/archive', { method: 'POST', headers: { 'idempotency-key': key } });
      expect(await expectError(answer, 400)).toBe(`Idempotency-Key must have 1 to 255 characters (got ${key.length})`);
    }
  });

  it('is not sent with the lookup of the owner of the data', async () => {
    gateway.client.answer(issuedTokens.sign, () => ({ token: 't' }));
    await gateway.request('/auth/issue-token', {
      method: 'POST',
      body: JSON.stringify({ scope: 'user_id:ada read:messages', expires_in: '1h' }),
      headers: { 'idempotency-key': 'k', 'content-type': 'application/json' },
    });

    expect(gateway.client.calls.filter(({ context }) => context.requestKey).map(({ pattern }) => pattern)).toEqual([
      issuedTokens.sign.pattern,
    ]);
  });

  it('differs by API key where the answer is a credential, and is the same elsewhere', async () => {
    const { workspace_id } = gateway.client.addKey('pk_one');
    Object.assign(gateway.client.addKey('pk_other'), { workspace_id });
    gateway.client.answer(issuedTokens.sign, () => ({ token: 't' }));
    const ids = async (path: string, operation: { pattern: string }): Promise<number> => {
      for (const key of ['pk_one', 'pk_other']) {
        await gateway.request(path, {
          method: 'POST',
          body: JSON.stringify({ scope: 'user_id:ada read:messages', expires_in: '1h' }),
          headers: { 'idempotency-key': 'k', 'content-type': 'application/json', authorization: `Bearer ${key}` },
        });
      }
      return new Set(keysOf(operation).map((key) => key!.id)).size;
    };

    expect(await ids('/auth/issue-token', issuedTokens.sign)).toBe(2);
    expect(await ids('/things/one/archive', things.archive)).toBe(1);
  });
});

it('has a hash of the parsed body, whatever the order of its keys', async () => {
  gateway.client.answer(sendKeys.reserve, () => ({ state: 'new' }));
  gateway.client.answer(sendKeys.complete, () => undefined);
  const hashOf = async (key: string, body: string): Promise<string | undefined> => {
    const headers = { 'idempotency-key': key, 'content-type': 'application/json' };
    expect((await gateway.request('/send', { method: 'POST', body, headers })).status).toBe(202);
    return (gateway.client.callsOf(sendKeys.reserve).at(-1)!.request as Partial<ReserveSendKey>).body_hash;
  };
  const bodyWith = (data: string): string => `{"message": {"template": "t", "to": {"user_id": "ada"}, "data": ${data}}}`;

  const first = await hashOf('k', bodyWith('{"b": [{"x": 1.0, "y": "\\u00fc"}, 2], "a": {}}'));

  expect(first).toMatch(/^[\w-]{43}$/);
  const reordered = '{"message":{"data":{"a":{},"b":[{"y":"ü","x":1},2]},"to":{"user_id":"ada"},"template":"t"}}';
  expect(await hashOf('k', reordered)).toBe(first);
  const others = [
    await hashOf('k', reordered.replace('"x":1', '"x":"1"')),
    await hashOf('k', reordered.replace('"x":1', '"x":1,"z":null')),
    await hashOf('k', reordered.replace('"a":{}', '"a":[]')),
    await hashOf('k', bodyWith('{"b": [2, {"x": 1, "y": "ü"}], "a": {}}')),
    await hashOf('other', reordered),
  ];
  expect(new Set([first, ...others]).size).toBe(6);
});

it('differs for a test key, so that a simulated send does not replace a real one', async () => {
  const { workspace_id } = gateway.client.addKey('pk_production');
  Object.assign(gateway.client.addKey('pk_simulating', { mode: 'test' }), { workspace_id });
  const ids: string[] = [];
  for (const key of ['pk_production', 'pk_simulating', 'pk_production', 'pk_simulating']) {
    ids.push((await keyOf({ 'idempotency-key': 'k', authorization: `Bearer ${key}` }))!.id);
  }

  expect(ids.slice(2)).toEqual(ids.slice(0, 2));
  expect(ids[0]).not.toBe(ids[1]);
});

describe('the expiration of a key', () => {
  const DAY = KEY_RETENTION_MS_MIN;
  const expiryOf = async (expiration: string): Promise<number> =>
    (await keyOf({ 'idempotency-key': 'k', 'x-idempotency-expiration': expiration }))!.expiresAt;

  it('is an instant: ms or seconds since the epoch, or ISO 8601', async () => {
    const instant = Math.floor(Date.now() / 1_000) * 1_000 + 30 * DAY;
    const iso = new Date(instant).toISOString();

    for (const text of [String(instant), String(instant / 1_000), iso, iso.replace('.000Z', '+00:00'), iso.slice(0, 19)]) {
      expect([text, await expiryOf(text)]).toEqual([text, instant]);
    }
    expect(await expiryOf(iso.slice(0, 10))).toBe(Date.parse(iso.slice(0, 10)));
    expect((await expiryOf('30 days')) / 1_000).toBeCloseTo((Date.now() + 30 * DAY) / 1_000, -2);
  });

  it('is limited to a range of a day to a year', async () => {
    const seconds = async (text: string): Promise<number> => ((await expiryOf(text)) - Date.now()) / 1_000;

    for (const text of ['0', '1970-01-01', '1 minute']) expect(await seconds(text)).toBeCloseTo(DAY / 1_000, -2);
    for (const text of ['9999-12-31', '99999999999999', '10 years'])
      expect(await seconds(text)).toBeCloseTo(KEY_RETENTION_MS_MAX / 1_000, -2);
  });

  it.each(['tomorrow', '-1', '2026-13-01', '12 parsecs', '1e9', 'NaN', '[]'])('cannot be %s', async (text) => {
    const headers = { 'idempotency-key': 'k', 'x-idempotency-expiration': text };

    expect(await expectError(await gateway.request('/things/one/archive', { method: 'POST', headers }), 400)).toContain(
      JSON.stringify(text),
    );
    expect(keysOf(things.archive)).toEqual([]);
  });
});

describe('a replayed answer', () => {
  const replaying = (outcome: () => unknown) => {
    gateway.client.answer(things.archive, ({ requestKey }: CallContext) => {
      requestKey!.replayed = true;
      return outcome();
    });
    return gateway.request('/things/one/archive', { method: 'POST', headers: { 'idempotency-key': 'k', origin: gateway.url } });
  };

  it('has a header that pages may read', async () => {
    const { status, headers } = await replaying(() => undefined);

    expect([status, headers.get('idempotent-replayed')]).toEqual([202, 'true']);
    expect(headers.get('access-control-expose-headers')).toContain('idempotent-replayed');
  });

  it('has the header where it is an error, with x-should-retry: false', async () => {
    const answer = await replaying(() => {
      throw new ServiceError('internal', 'As before');
    });

    expect([answer.headers.get('idempotent-replayed'), answer.headers.get('x-should-retry')]).toEqual(['true', 'false']);
    expect(await expectError(answer, 500, 'internal_error')).toBe('As before');
  });

  it('differs from a first one', async () => {
    const { headers } = await gateway.request('/things/one/archive', { method: 'POST', headers: { 'idempotency-key': 'k' } });

    expect(headers.get('idempotent-replayed')).toBeNull();
  });
});

it('accepts any bytes that a header may contain', async () => {
  const connection = new RawConnection(gateway.port);
  connection.write(
    Buffer.from(
      `POST /things/one/archive HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${KEY}\r\nContent-Length: 0\r\nIdempotency-Key: \xff\xfe\x80\r\n\r\n`,
      'latin1',
    ),
  );

  expect((await connection.answer()).status).toBe(202);
  connection.destroy();
});
