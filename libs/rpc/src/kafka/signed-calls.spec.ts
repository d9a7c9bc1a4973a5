import '@tidings/testing/quiet';
import { RecordSigner } from '@tidings/kafka/record-signer';
import type { KafkaMessage } from 'kafkajs';
import { BrokerClock } from './broker-clock';
import { HEADER, PING, requestId } from './call-header';
import { callersOf } from './rpc-topics';
import type { Refusal } from '@tidings/kafka/refused-records';
import { SignedCalls } from './signed-calls';

const REQUESTS = 'tidings.rpc.audience';
const REPLIES = 'tidings.rpc.replies';
const BODY = '{"name":"Ada"}';
const MINUTE_MS = 60_000;
const ID = requestId('instance', 7, 1);
const headers = { operation: 'audience.greet', deadline: '5000', callId: 'c1', workspace: 'ws', mode: 'production', scopes: '[]' };
const frame = { id: ID, replyPartition: 3, headers };

let refused: Refusal[];
let clock: BrokerClock;
beforeEach(() => {
  refused = [];
  clock = new BrokerClock();
});

function signedCalls({ secret = 'the secret of all, of 32 characters', acceptsUnsigned = false } = {}): SignedCalls {
  const signer = new RecordSigner([secret], 'calls', '');
  return new SignedCalls({ signer, clock, acceptsUnsigned, onRefused: (reason) => refused.push(reason) });
}

/** The broker's clock is now ahead of ours by so much. */
function setClock(aheadMs: number): void {
  const now = performance.now();
  for (let count = 0; count < 8; count++) clock.observe(now, now, Date.now() + aheadMs);
}

type Record = Pick<KafkaMessage, 'key' | 'value' | 'headers'>;
const request = (header: string, body = BODY): Record => ({
  key: null,
  value: Buffer.from(body),
  headers: { [HEADER]: Buffer.from(header) },
});
const headerOf = (calls: SignedCalls, topic = REQUESTS): string => String(calls.requestHeaders(topic, frame, BODY)[HEADER]);
const reply = (key: string, value = '{"ok":1}'): Record => ({ key: Buffer.from(key), value: Buffer.from(value), headers: {} });

/** As a version wrote it that did not sign. */
const UNSIGNED = JSON.stringify(['audience.greet', ID, 3, '5000', 'c1', 'ws', 'production', '[]']);

describe('a request', () => {
  it('is read as it was written', () => {
    const calls = signedCalls();
    const whole = { ...frame, replyRole: 'gateway' as const, headers: { ...headers, traceparent: '00-1', requestKey: 'key","' } };
    const header = String(calls.requestHeaders(REQUESTS, whole, BODY)[HEADER]);
    expect(calls.readRequest(REQUESTS, request(header))).toEqual(whole);
    expect(refused).toEqual([]);
  });

  it.each([
    ['of a client without our secret', UNSIGNED, BODY, 'unsigned'],
    ['with a secret of its own', headerOf(signedCallsOf('another secret, also of 32 characters')), BODY, 'unknown key'],
    ['with another body', undefined, '{"name":"Eve"}', 'wrong mac'],
    ['of a topic of another service', headerOf(signedCallsOf(), 'tidings.rpc.identity'), BODY, 'wrong mac'],
    ['without a header of ours', 'nothing', BODY, 'unsigned'],
  ])('%s is refused', (_what, header, body, reason) => {
    const calls = signedCalls();
    expect(calls.readRequest(REQUESTS, request(header ?? headerOf(calls), body))).toBeUndefined();
    expect(refused).toEqual([reason]);
  });

  it('that names no role for the reply is refused', () => {
    const calls = signedCalls();
    const header = calls.requestHeaders(REQUESTS, { ...frame, replyRole: 'launcher' as 'gateway' }, BODY);
    expect(calls.readRequest(REQUESTS, request(String(header[HEADER])))).toBeUndefined();
    expect(refused).toEqual(['malformed']);
  });

  it('of a role that does not call the service is refused', () => {
    const calls = signedCalls();
    const header = String(calls.requestHeaders(REQUESTS, { ...frame, replyRole: 'content' }, BODY)[HEADER]);
    expect(calls.readRequest(REQUESTS, request(header), callersOf('audience'))).toBeUndefined();
    expect(refused).toEqual(['not a caller']);
  });

  it('with a field changed is refused', () => {
    const calls = signedCalls();
    expect(calls.readRequest(REQUESTS, request(headerOf(calls).replace('"ws"', '"wx"')))).toBeUndefined();
    expect(refused).toEqual(['wrong mac']);
  });

  it('is refused when it was sent more than a minute ago by the clock of the broker, whatever ours says', () => {
    setClock(30 * MINUTE_MS);
    const calls = signedCalls();
    const header = headerOf(calls);
    setClock(30 * MINUTE_MS + 0.9 * MINUTE_MS);
    expect(calls.readRequest(REQUESTS, request(header))).toEqual(frame);
    setClock(30 * MINUTE_MS + 1.1 * MINUTE_MS);
    expect(calls.readRequest(REQUESTS, request(header))).toBeUndefined();
    expect(refused).toEqual(['outside the time window']);
  });

  it('without a signature is accepted during the upgrade, one with a wrong signature is not', () => {
    const calls = signedCalls({ acceptsUnsigned: true });
    expect(calls.readRequest(REQUESTS, request(UNSIGNED))).toEqual(frame);
    expect(calls.readRequest(REQUESTS, request(headerOf(calls), '{}'))).toBeUndefined();
    expect(refused).toEqual(['wrong mac']);
  });

  it('is read by a version that did not sign', () => {
    expect((JSON.parse(headerOf(signedCalls())) as unknown[]).slice(0, 8)).toEqual(JSON.parse(UNSIGNED));
  });
});

describe('a reply', () => {
  it('is read as it was written', () => {
    const calls = signedCalls();
    const key = calls.replyKey(REPLIES, ID, 'member', '{"ok":1}');
    expect(calls.readReply(REPLIES, reply(key))).toEqual({ instance: 'instance', call: 7, attempt: 1, member: 'member' });
  });

  it.each([
    ['of a client without our secret', () => `${ID}.member`, 'unsigned'],
    ['to another call', (key: string) => key.replace('.7.', '.8.'), 'wrong mac'],
  ])('%s is refused', (_what, change, reason) => {
    const calls = signedCalls();
    expect(calls.readReply(REPLIES, reply(change(calls.replyKey(REPLIES, ID, 'member', '{"ok":1}'))))).toBeUndefined();
    expect(refused).toEqual([reason]);
  });

  it('is refused after a minute; a ping is not, because it is how the time is measured', () => {
    const calls = signedCalls();
    const [key, ping] = [ID, requestId('instance', PING, 1)].map((id) => calls.replyKey(REPLIES, id, 'member', '{"ok":1}'));
    setClock(1.1 * MINUTE_MS);
    expect(calls.readReply(REPLIES, reply(key!))).toBeUndefined();
    expect(refused).toEqual(['outside the time window']);
    expect(calls.readReply(REPLIES, reply(ping!))).toMatchObject({ call: PING, attempt: 1 });
  });
});

function signedCallsOf(secret?: string): SignedCalls {
  clock = new BrokerClock();
  return signedCalls({ secret });
}
