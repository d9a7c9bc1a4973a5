import { RecordSigner } from '@tidings/kafka/record-signer';
import type { IHeaders, KafkaMessage } from 'kafkajs';
import { toMessage, toRecord } from './records';
import { SignedEvents } from './signed-events';

const TOPIC = 'tidings.traced.v1';
const trace = { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01', tracestate: 'other=1' };
const event = { id: 'e-1', key: 'k', payload: '{}' };
const origin = { type: TOPIC, source: '/tidings/test', time: 0 };
const signed = new SignedEvents({
  signer: new RecordSigner(['s'.repeat(32)], 'events', ''),
  acceptsUnsigned: false,
  onRefused: () => undefined,
});

/** The record as a consumer gets it, with other headers where they are given. */
function received(traced: object, others: IHeaders = {}): KafkaMessage {
  const { key, value, headers } = signed.sign(TOPIC, toMessage({ ...event, ...traced }, origin));
  const read = Object.entries({ ...headers, ...others }).map(([name, text]) => [name, typeof text === 'string' ? Buffer.from(text) : text]);
  const [keyBytes, valueBytes] = [Buffer.from(key as string), Buffer.from(value as string)];
  return { key: keyBytes, value: valueBytes, headers: Object.fromEntries(read) as IHeaders, offset: '0', timestamp: '0', attributes: 0 };
}

it('carries its trace in headers that the signature does not cover', () => {
  const other = trace.traceparent.replace('0af7', 'ffff');

  const [own, changed] = [received({ trace }), received({ trace }, { traceparent: other })];

  expect([own, changed].map((message) => signed.faultOf(TOPIC, message))).toEqual([undefined, undefined]);
  expect([own, changed].map((message) => toRecord(0, message).record.trace)).toEqual([trace, { ...trace, traceparent: other }]);
});

it('has no trace with headers that are none, repeated, or absent', () => {
  const twice = [Buffer.from(trace.traceparent), Buffer.from(trace.traceparent)] as unknown as Buffer;
  const records = [received({}), received({ trace }, { traceparent: 'x' }), received({ trace }, { traceparent: twice })];

  expect(records.map((message) => signed.faultOf(TOPIC, message))).toEqual([undefined, undefined, undefined]);
  expect(records.map((message) => toRecord(0, message).record.trace)).toEqual([undefined, undefined, undefined]);
  expect(Object.keys(received({}).headers!)).not.toContain('traceparent');
});
