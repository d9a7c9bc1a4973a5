import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import type { Recipient } from '../recipient';
import { retryAfterMs } from '../vendor/retry-after';
import { ADA, attempt, cleanUp, cleanUps, open, openConnected, SMS, startReceiver } from './receiver.fixture';

afterEach(cleanUp);

async function outcomeOf(status: number, body: unknown = '', headers: Record<string, string> = {}, recipient: Recipient = ADA) {
  const receiver = await startReceiver();
  receiver.answer(status, body, headers);
  const outcome = await open(receiver.url).send(SMS, recipient, attempt());
  return { outcome, receiver };
}

it.each([
  [200, { id: 'sms-1' }, { kind: 'accepted', reference: { id: 'sms-1' }, delivered: false }],
  [202, { id: 17, delivered: true }, { kind: 'accepted', reference: { id: '17' }, delivered: true }],
  [204, '', { kind: 'accepted', reference: {}, delivered: false }],
  [200, 'thanks', { kind: 'accepted', reference: {}, delivered: false }],
  [200, [1, 2], { kind: 'accepted', reference: {}, delivered: false }],
  [400, { error: 'no such number' }, { kind: 'failed', cause: 'permanent', reason: 'PROVIDER_ERROR' }],
  [401, '', { kind: 'failed', cause: 'configuration' }],
  [403, '', { kind: 'failed', cause: 'configuration' }],
  [404, '', { kind: 'failed', cause: 'permanent' }],
  [408, '', { kind: 'retry' }],
  [410, '', { kind: 'failed', cause: 'permanent' }],
  [429, '', { kind: 'retry' }],
  [500, '', { kind: 'retry' }],
  [503, '', { kind: 'retry' }],
  [422, { cause: 'recipient' }, { kind: 'failed', cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' }],
  [422, { cause: 'recipient', reason_code: 'SOFT' }, { kind: 'failed', cause: 'recipient', reasonCode: 'SOFT' }],
  [500, { cause: 'permanent' }, { kind: 'failed', cause: 'permanent' }],
  [400, { cause: 'configuration' }, { kind: 'failed', cause: 'configuration' }],
  [400, { cause: 'retry' }, { kind: 'retry' }],
  [400, { cause: 'token' }, { kind: 'failed', cause: 'permanent' }],
  [400, { cause: { nested: true }, id: {} }, { kind: 'failed', cause: 'permanent' }],
])('maps an answer %i %j to its outcome', async (status, body, expected) => {
  const { outcome } = await outcomeOf(status, body);

  expect(outcome).toMatchObject({ ...expected, response: { status } });
});

it('quotes the error of the receiver, on one line', async () => {
  const { outcome } = await outcomeOf(422, { error: 'no such\nnumber' });

  expect(outcome).toMatchObject({ error: 'The receiver answered 422: no such number' });
});

it('stores at most 4 KB of the answer, cut between characters', async () => {
  const { outcome } = await outcomeOf(500, `a${'é'.repeat(100_000)}`);

  const { body } = outcome.response!;
  expect(Buffer.byteLength(body)).toBe(4_095);
  expect(body).toBe(`a${'é'.repeat(2_047)}`);
});

it('reports the Retry-After of the receiver', async () => {
  const { outcome } = await outcomeOf(429, '', { 'retry-after': '7' });

  expect(outcome).toMatchObject({ kind: 'retry', retryAfterMs: 7_000 });
});

it.each([
  ['7', 7_000],
  ['0', 0],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 8_000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['999999999', 10_800_000],
  ['soon', undefined],
  ['', undefined],
  [undefined, undefined],
])('Retry-After %j is %s ms', (header, ms) => {
  expect(retryAfterMs(header, 1_000)).toBe(ms);
});

describe('push tokens', () => {
  const phones: Recipient = {
    channel: 'push',
    tokens: [
      { token: 'one', provider_key: 'apn' },
      { token: 'two', provider_key: 'expo' },
    ],
  };

  it('that were refused beside accepted ones are named', async () => {
    const refused_tokens = ['two', 'stranger', 5, null, { token: 'two', outcome: 'suspicious', code: 'BadDeviceToken' }];
    const { outcome } = await outcomeOf(200, { id: 'x', refused_tokens }, {}, phones);

    expect(outcome).toMatchObject({
      kind: 'accepted',
      refusedTokens: [{ token: 'two', outcome: 'suspicious', code: 'BadDeviceToken' }],
    });
  });

  it('are all refused where the receiver names none', async () => {
    const { outcome } = await outcomeOf(410, { cause: 'token' }, {}, phones);

    expect(outcome).toMatchObject({
      kind: 'failed',
      cause: 'token',
      refusedTokens: [
        { token: 'one', outcome: 'revoked' },
        { token: 'two', outcome: 'revoked' },
      ],
    });
  });
});

it('does not follow a redirect', async () => {
  const elsewhere = await startReceiver();
  const { outcome } = await outcomeOf(307, '', { location: elsewhere.url });

  expect(outcome).toMatchObject({ kind: 'failed', cause: 'configuration', error: expect.stringContaining('redirects') as string });
  expect(elsewhere.received).toEqual([]);
});

it('retries an answer that does not end in time', async () => {
  const receiver = await startReceiver();
  receiver.answering = (answer) => void answer.writeHead(200).write('{');

  const provider = await openConnected(receiver, { timeoutMs: 100 });

  const outcome = await provider.send(SMS, ADA, attempt());

  expect(outcome).toEqual({ kind: 'retry', error: 'The receiver did not answer within 100 ms', hung: true });
});

it('reads only the beginning of an endless answer', async () => {
  const receiver = await startReceiver();
  receiver.answering = (answer) => {
    answer.writeHead(200);
    const pour = (): void => {
      while (!answer.destroyed && answer.write('x'.repeat(10_000)));
      if (!answer.destroyed) answer.once('drain', pour);
    };
    pour();
  };

  await expect(open(receiver.url).send(SMS, ADA, attempt())).resolves.toMatchObject({ kind: 'accepted', response: { status: 200 } });
});

it('ends an aborted call at once', async () => {
  const receiver = await startReceiver();
  const aborting = new AbortController();
  receiver.answering = () => aborting.abort();

  await expect(open(receiver.url).send(SMS, ADA, attempt({ signal: aborting.signal }))).resolves.toMatchObject({ kind: 'retry' });
});

it('retries an unavailable receiver and an invalid answer, without naming an address', async () => {
  const nonsense = createServer((socket) => void socket.resume().end('SSH-2.0\r\n\r\n'));
  await new Promise<void>((resolve) => nonsense.listen(0, '127.0.0.1', resolve));
  cleanUps.push(() => new Promise((resolve) => nonsense.close(() => resolve())));
  const stopped = await startReceiver();
  const { url } = stopped;
  await stopped.stop();

  for (const target of [
    url,
    `http://127.0.0.1:${(nonsense.address() as AddressInfo).port}/`,
    `https://127.0.0.1:${(nonsense.address() as AddressInfo).port}/`,
  ]) {
    const outcome = await open(target).send(SMS, ADA, attempt());
    expect(outcome).toMatchObject({ kind: 'retry' });
    expect(JSON.stringify(outcome)).not.toContain('127.0.0.1');
  }
});
