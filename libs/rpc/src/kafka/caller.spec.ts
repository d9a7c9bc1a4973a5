import type { ServiceName } from '@tidings/contracts/core/operation';
import { Caller } from './caller';
import type { OutgoingRecord } from './coalescer';
import { PartitionSelector } from './partition-selector';

/** A read is sent again after a second. */
const DEADLINE_MS = 1_200;
/** Probes have another one. */
const BODY = '{"id":1}';
const SERVICE: ServiceName = 'identity';
const TOPIC = 'tidings.rpc.identity';

/** A caller whose records a broker acknowledges and no member answers. */
function callerWithoutAnswers() {
  const records: OutgoingRecord[] = [];
  const producer = {
    batchCount: 0,
    leadersChangedAt: -Infinity,
    isUnavailable: false,
    isTooLarge: () => false,
    sweep: () => undefined,
    add(record: OutgoingRecord) {
      record.isSent = true;
      return records.push(record) > 0;
    },
  };
  const parameters = [producer, { instance: 'i', partition: 0 }, { requestHeaders: () => ({}) }, {}] as unknown[];
  const [first, channel, signed, bodies] = parameters as [never, never, never, never];
  const callees = new Map([[SERVICE, { topic: TOPIC, selector: new PartitionSelector(1) }]]);
  return { producer, records, caller: new Caller(first, channel, signed, bodies, callees) };
}

describe('a read that its only member leaves without an answer', () => {
  it.each([
    ['is sent once more where a partition got another leader since', 1, 2],
    ['is sent once where no leader changed', -1, 1],
  ])('%s', async (_, changedAfterMs, expected) => {
    const { producer, records, caller } = callerWithoutAnswers();
    producer.leadersChangedAt = performance.now() + changedAfterMs;
    const request = { service: SERVICE, record: { headers: {}, body: BODY }, deadlineMs: DEADLINE_MS, repeatable: true };

    await expect(caller.exchange(request as never)).rejects.toThrow();
    await caller.close();

    expect(records.filter(({ message }) => message.value === BODY)).toHaveLength(expected);
  });
});
