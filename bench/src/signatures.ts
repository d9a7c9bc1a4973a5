import { randomUUID } from 'node:crypto';
import { RecordSigner } from '@tidings/kafka/record-signer';
import { SignedEvents } from '@tidings/events/kafka/signed-events';
import { toMessage } from '@tidings/events/kafka/records';
import { BrokerClock } from '@tidings/rpc/kafka/broker-clock';
import type { RequestFrame } from '@tidings/rpc/kafka/call-header';
import { SignedCalls } from '@tidings/rpc/kafka/signed-calls';
import type { KafkaMessage, Message } from 'kafkajs';
import { describeRun, runBench } from './bench';
import { cpuMicroseconds } from './cpu-microseconds';
import { printTable, spread } from './report';

const ROUNDS = 9;
const COUNT = 20_000;
const SECRET = 'a secret of benches, of 32 characters and more';
const TOPIC = 'tidings.message-history.v1';
const REQUESTS = 'tidings.rpc.identity';
const REPLIES = 'tidings.rpc.replies.gateway';
/** As the events of a send to a stored user. */
const PAYLOAD = JSON.stringify({
  workspaceId: randomUUID(),
  messageId: '1-6b012214-141001994d5b7fe7e5008e57',
  number: 6,
  event: 'x'.repeat(400),
});

/** What signatures of records over Kafka cost: of an event, a request and a reply, to sign and to check. */
function signatures(): Promise<void> {
  const options = { acceptsUnsigned: false, onRefused: () => undefined };
  const events = new SignedEvents({ signer: new RecordSigner([SECRET], 'events', ''), ...options });
  const calls = new SignedCalls({ signer: new RecordSigner([SECRET], 'calls', ''), clock: new BrokerClock(), ...options });
  const event = toMessage(
    { id: randomUUID(), key: 'w:m', payload: PAYLOAD },
    { type: TOPIC, source: '/tidings/messaging', time: Date.now() },
  );
  const read = asRead(events.sign(TOPIC, event));
  const headers = {
    operation: 'identity.profiles.retrieve',
    deadline: '5000',
    callId: 'c1',
    workspace: randomUUID(),
    mode: 'production',
    scopes: '["*"]',
  };
  const frame: RequestFrame = { id: 'instance.7.1', replyPartition: 3, replyRole: 'gateway', headers };
  const body = '{"user_id":"user-1"}';
  const request = asRead({ value: body, headers: calls.requestHeaders(REQUESTS, frame, body) });
  const reply = asRead({ key: calls.replyKey(REPLIES, frame.id, 'member', PAYLOAD), value: PAYLOAD });

  const parts: readonly [string, () => unknown][] = [
    ['an event is signed', () => events.sign(TOPIC, event)],
    ['an event is checked', () => events.faultOf(TOPIC, read)],
    ['a request is signed', () => calls.requestHeaders(REQUESTS, frame, body)],
    ['a request is checked and read', () => calls.readRequest(REQUESTS, request)],
    ['a reply is signed', () => calls.replyKey(REPLIES, frame.id, 'member', PAYLOAD)],
    ['a reply is checked and read', () => calls.readReply(REPLIES, reply)],
  ];
  const costs = parts.map(() => [] as number[]);
  for (let round = 0; round < ROUNDS; round += 1) parts.forEach(([, part], index) => costs[index]!.push(cpuMicroseconds(part, COUNT)));

  console.log(describeRun());
  printTable(
    `Signatures, ${ROUNDS} rounds; µs of CPU each, median (lowest–highest)`,
    ['', 'µs'],
    parts.map(([name], index) => [name, spread(costs[index]!)]),
  );
  return Promise.resolve();
}

type Text = Message['value'] | Message['key'];

/** A record as kafkajs reads it. */
function asRead({ key, value, headers }: { key?: Text; value: Text; headers?: object }): KafkaMessage {
  const read = Object.fromEntries(Object.entries(headers ?? {}).map(([name, text]) => [name, Buffer.from(text as string)]));
  const bytes = { key: bytesOf(key), value: bytesOf(value), headers: read };
  return { ...bytes, timestamp: String(Date.now()), offset: '0', attributes: 0 };
}

function bytesOf(text: Text) {
  return typeof text === 'string' ? Buffer.from(text) : null;
}

runBench(signatures);
