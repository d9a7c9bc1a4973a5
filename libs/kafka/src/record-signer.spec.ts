import { RecordSigner, SIGNATURE_LENGTH } from './record-signer';

const OLD = 'old secret of at least 32 characters';
const NEW = 'new secret of at least 32 characters';
const TOPIC = 'staging.tidings.rpc.identity';
const PARTS = ['header', null, 'value ü'];

const calls = new RecordSigner([NEW, OLD], 'calls', 'staging.');
const signature = calls.sign(TOPIC, PARTS);

describe('a signature', () => {
  it('is accepted for the record that was signed, whether its parts are text or bytes', () => {
    expect(signature).toHaveLength(SIGNATURE_LENGTH);
    expect(calls.faultOf(signature, TOPIC, PARTS)).toBeUndefined();
    expect(calls.faultOf(signature, TOPIC, [Buffer.from('header'), null, Buffer.from('value ü')])).toBeUndefined();
  });

  it('does not depend on the prefix of topics', () => {
    const [one, other] = ['one.', ''].map((prefix) => new RecordSigner([NEW], 'calls', prefix));
    expect(one!.sign('one.tidings.rpc.identity', PARTS)).toBe(other!.sign('tidings.rpc.identity', PARTS));
  });

  it.each([
    ['another topic', 'staging.tidings.rpc.content', PARTS],
    ['another value', TOPIC, ['header', null, 'value u']],
    ['an empty part instead of none', TOPIC, ['header', '', 'value ü']],
    ['text moved from one part to the next', TOPIC, ['heade', null, 'rvalue ü']],
    ['a further part', TOPIC, [...PARTS, '']],
  ])('is refused for %s', (_what, topic, parts) => {
    expect(calls.faultOf(signature, topic, parts)).toBe('wrong mac');
  });

  it('of calls is refused for events', () => {
    expect(new RecordSigner([NEW], 'events', 'staging.').faultOf(signature, TOPIC, PARTS)).toBe('wrong mac');
  });

  it.each([
    ['absent', undefined, 'unsigned'],
    ['empty', '', 'unsigned'],
    ['of a secret that is not configured', new RecordSigner([`${NEW}!`], 'calls', 'staging.').sign(TOPIC, PARTS), 'unknown key'],
    ['cut off', signature.slice(0, -1), 'wrong mac'],
    ['with another MAC of the same length', `${signature.slice(0, -2)}AA`, 'wrong mac'],
  ])('that is %s is refused', (_what, given, fault) => {
    expect(calls.faultOf(given, TOPIC, PARTS)).toBe(fault);
  });
});

it('the first secret signs, all verify', () => {
  const before = new RecordSigner([OLD], 'calls', 'staging.');
  const meanwhile = new RecordSigner([OLD, NEW], 'calls', 'staging.');

  expect(before.faultOf(signature, TOPIC, PARTS)).toBe('unknown key');
  expect(meanwhile.faultOf(signature, TOPIC, PARTS)).toBeUndefined();
  expect(calls.faultOf(before.sign(TOPIC, PARTS), TOPIC, PARTS)).toBeUndefined();
});

it('without a secret nothing is signed', () => {
  expect(() => new RecordSigner([], 'calls', '')).toThrow(RangeError);
});
