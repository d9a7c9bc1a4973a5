import { cloudEventHeaders, cloudEventSource, readCloudEventHeaders } from './cloud-events';

const event = {
  id: 'e-1',
  type: 'tidings.message-history.v1',
  source: cloudEventSource('messaging'),
  time: Date.parse('2026-01-02T03:04:05.678Z'),
  sequence: '12',
};

/** The headers as a Kafka client returns them. */
const received = (headers: Record<string, string>): Record<string, Buffer> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, Buffer.from(value)]));

it('writes the headers of the binary content mode', () => {
  expect(cloudEventHeaders(event)).toEqual({
    ce_specversion: '1.0',
    ce_id: 'e-1',
    ce_type: 'tidings.message-history.v1',
    ce_source: '/tidings/messaging',
    ce_time: '2026-01-02T03:04:05.678Z',
    ce_sequence: '0000000000000000012',
    'content-type': 'application/json',
  });
});

it.each([event, { ...event, sequence: '0' }, { ...event, sequence: '9223372036854775807' }, { ...event, sequence: undefined }])(
  'reads back its own headers: number $sequence',
  (one) => {
    expect(readCloudEventHeaders(received(cloudEventHeaders({ ...one, id: 'Łódź ✓' })))).toEqual({ ...one, id: 'Łódź ✓' });
  },
);

it('writes running numbers that sort as text', () => {
  const numbers = ['1', '2', '9', '10', '11', '100', '9007199254740993'];

  const written = numbers.map((sequence) => cloudEventHeaders({ ...event, sequence }).ce_sequence!);

  expect([...written].sort()).toEqual(written);
});

it.each(['', '-1', '1.5', '12345678901234567890', '٣'])('refuses the running number "%s"', (sequence) => {
  expect(() => cloudEventHeaders({ ...event, sequence })).toThrow(`1 to 19 digits, this one is "${sequence}"`);
});

it('uses the last of several values, like Kafka', () => {
  const headers = received(cloudEventHeaders(event));

  expect(readCloudEventHeaders({ ...headers, ce_id: [Buffer.from('old'), Buffer.from('new')] })).toMatchObject({ id: 'new' });
});

it.each(['ce_specversion', 'ce_id', 'ce_type', 'ce_source', 'ce_time'])('reads no event from a record without %s', (name) => {
  const headers = received(cloudEventHeaders(event));

  expect(readCloudEventHeaders({ ...headers, [name]: undefined })).toBeUndefined();
  expect(readCloudEventHeaders(headers)).toBeDefined();
});

it('reads no event from a record without headers', () => {
  expect(readCloudEventHeaders()).toBeUndefined();
});
