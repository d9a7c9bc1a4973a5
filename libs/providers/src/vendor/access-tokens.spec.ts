import { latch } from '@tidings/testing/latch';
import { waitUntil } from '@tidings/testing/wait-until';
import type { CapturingHttp } from '@tidings/testing/capturing-http';
import { cleanUp, cleanUps, LOOPBACK, startReceiver } from '../http/receiver.fixture';
import { AccessTokens } from './access-tokens';
import { HttpClient } from './http-client';

afterEach(cleanUp);

const MINUTES = 60_000;
const NOON = Date.parse('2026-03-01T12:00:00Z');

/** Tokens of a server that issues `token 1`, `token 2`, … for an hour. */
async function startTokens() {
  const server = await startReceiver();
  issue(server);
  const clock = { nowMs: NOON };
  const client = new HttpClient({ guard: LOOPBACK });
  cleanUps.push(() => Promise.resolve(client.close()));
  const source = { name: 'Example', url: new URL(server.url), form: (nowMs: number) => ({ grant_type: 'test', at: String(nowMs) }) };
  return { server, clock, tokens: new AccessTokens(source, client, () => clock.nowMs) };
}

function issue(server: CapturingHttp, fields: object = {}) {
  server.answering = (answer) =>
    answer.writeHead(200).end(JSON.stringify({ access_token: `token ${server.received.length}`, expires_in: 3_600, ...fields }));
}

it('requests one token for concurrent calls, and keeps it until shortly before it expires', async () => {
  const { server, clock, tokens } = await startTokens();
  await expect(Promise.all([tokens.get(), tokens.get(), tokens.get()])).resolves.toEqual(['token 1', 'token 1', 'token 1']);

  clock.nowMs += 55 * MINUTES - 1;
  await expect(tokens.get()).resolves.toBe('token 1');
  clock.nowMs += 1;
  await expect(tokens.get()).resolves.toBe('token 2');
  expect(server.received).toMatchObject([
    { method: 'POST', headers: { 'content-type': 'application/x-www-form-urlencoded' }, body: `grant_type=test&at=${NOON}` },
    { body: `grant_type=test&at=${NOON + 55 * MINUTES}` },
  ]);
});

it('keeps a token of a short life for most of it', async () => {
  const { server, clock, tokens } = await startTokens();
  issue(server, { expires_in: 60 });
  await tokens.get();
  clock.nowMs += 53_999;
  await expect(tokens.get()).resolves.toBe('token 1');
  clock.nowMs += 1;
  await expect(tokens.get()).resolves.toBe('token 2');
});

it('replaces a refused token, once', async () => {
  const { tokens } = await startTokens();
  await tokens.get();

  tokens.drop('token 1');
  await expect(tokens.get()).resolves.toBe('token 2');
  tokens.drop('token 1');
  await expect(tokens.get()).resolves.toBe('token 2');
});

it('uses a token until it expires where its renewal is not answered', async () => {
  const { server, clock, tokens } = await startTokens();
  await tokens.get();
  server.answer(503);

  clock.nowMs += 59 * MINUTES;
  await expect(tokens.get()).resolves.toBe('token 1');
  clock.nowMs += MINUTES;
  await expect(tokens.get()).resolves.toMatchObject({ kind: 'retry', outage: true });
});

it.each([
  [503, '', { kind: 'retry', outage: true, error: 'No access token: The token server of Example answered 503' }],
  [429, '', { kind: 'retry', outage: true }],
  [
    400,
    { error: 'invalid_grant', error_description: 'Invalid JWT Signature.' },
    { kind: 'failed', cause: 'configuration', error: 'No access token: The token server of Example answered 400: Invalid JWT Signature.' },
  ],
  [401, { error: 'invalid_client' }, { kind: 'failed', cause: 'configuration' }],
  [307, '', { kind: 'failed', cause: 'configuration' }],
  [200, 'welcome', { kind: 'retry', outage: true }],
  [200, { access_token: '' }, { kind: 'retry', outage: true }],
])('has no token after an answer %i %j, and requests one again for the next call', async (status, body, outcome) => {
  const { server, tokens } = await startTokens();
  server.answer(status, body);
  await expect(tokens.get()).resolves.toMatchObject(outcome);

  issue(server);
  await expect(tokens.get()).resolves.toBe('token 2');
});

it('ends the wait of an aborted call alone', async () => {
  const { server, tokens } = await startTokens();
  const answered = latch();
  const { answering } = server;
  server.answering = (...call) => void answered.opened.then(() => answering(...call));
  const aborting = new AbortController();
  const [aborted, other] = [tokens.get(aborting.signal), tokens.get()];
  await waitUntil(() => server.received.length === 1);

  aborting.abort();
  await expect(aborted).resolves.toMatchObject({ kind: 'retry', error: 'The call was aborted before its answer' });
  answered.open();
  await expect(other).resolves.toBe('token 1');
});
