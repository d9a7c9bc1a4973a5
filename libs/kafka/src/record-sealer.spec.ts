import { RecordSealer } from './record-sealer';

const OLD = 'old secret of at least 32 characters';
const NEW = 'new secret of at least 32 characters';
const TEXT = '{"token":"hunter2 ü"}';

const sealer = new RecordSealer([OLD]);

it('seals a text for the processes with the same secret', () => {
  const sealed = sealer.seal(TEXT, 'request a');

  expect(sealed).not.toContain('hunter2');
  expect(Buffer.from(sealed.split(':')[2]!, 'base64').toString()).not.toContain('hunter2');
  expect(sealer.open(sealed, 'request a')).toBe(TEXT);
  expect(sealer.seal(TEXT, 'request a')).not.toBe(sealed);
});

it('opens a text that is not sealed as it is', () => {
  expect(sealer.open(TEXT, 'request a')).toBe(TEXT);
});

it.each([
  ['under another name', () => sealer.open(sealer.seal(TEXT, 'request a'), 'reply a')],
  ['with another secret', () => new RecordSealer([NEW]).open(sealer.seal(TEXT, 'a'), 'a')],
  ['cut off', () => sealer.open(sealer.seal(TEXT, 'a').slice(0, -4), 'a')],
  ['cut off at its key', () => sealer.open(sealer.seal(TEXT, 'a').slice(0, 17), 'a')],
])('does not open a text %s', (_what, open) => {
  expect(open()).toBeUndefined();
});

it('the first secret seals, all open', () => {
  const meanwhile = new RecordSealer([NEW, OLD]);

  expect(meanwhile.open(sealer.seal(TEXT, 'a'), 'a')).toBe(TEXT);
  expect(new RecordSealer([NEW]).open(meanwhile.seal(TEXT, 'a'), 'a')).toBe(TEXT);
});

it('refuses to work without a secret', () => {
  expect(() => new RecordSealer([])).toThrow('there is none');
});
