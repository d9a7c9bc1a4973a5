import fc from 'fast-check';
import { applyChanges, DifferenceBase } from './difference';

/** Texts of few different pieces, so that bases and texts share parts: repeated blocks, halves of surrogate pairs, empty texts. */
const pieces = [
  '<td style="padding:0 12px 8px;">',
  '<td style="padding:0 12px 9px;">',
  'a'.repeat(40),
  'ab',
  '\ud83d\ude00',
  '\ud83d',
  '\ude00',
  'é\n',
];
const text = fc.oneof(
  fc.array(fc.constantFrom(...pieces), { maxLength: 40 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', maxLength: 200 }),
);
/** A base, and a text that differs from it in some pieces. */
const related = fc
  .record({ base: fc.array(fc.tuple(text, text, fc.integer({ max: 3, min: 0 })), { maxLength: 8 }), end: text })
  .map(({ base, end }) => ({
    base: base.map(([part]) => part).join(''),
    text: base.map(([part, other, kind]) => [part, other, part + other, ''][kind]).join('') + end,
  }));

describe('a difference', () => {
  it.each([
    ['any texts', fc.record({ base: text, text })],
    ['related texts', related],
  ])('gives the text again: %s', (_, pairs) => {
    fc.assert(
      fc.property(pairs, ({ base, text: wanted }) => {
        const changes = new DifferenceBase(base).changesTo(wanted)!;
        expect(applyChanges(base, changes)).toBe(wanted);
        const stored = JSON.parse(JSON.stringify(changes)) as typeof changes;
        expect(applyChanges(base, stored)).toBe(wanted);
      }),
      { numRuns: 2_000 },
    );
  });

  it('of well-formed texts inserts no half of a surrogate pair, which PostgreSQL refuses', () => {
    const smiles = '😀😁😂🤣😃😄😅😆😉😊';
    const shifted = smiles.replaceAll('\ud83d', '\ud83e'); // the same second halves
    fc.assert(
      fc.property(fc.array(fc.constantFrom(smiles, shifted, 'x', '😀'), { maxLength: 12 }), (parts) => {
        const wanted = parts.join('');
        const changes = new DifferenceBase(smiles + shifted).changesTo(wanted)!;
        expect(applyChanges(smiles + shifted, changes)).toBe(wanted);
        expect(changes.filter((change) => typeof change === 'string' && !change.isWellFormed())).toEqual([]);
      }),
    );
  });

  it('is empty for an empty text, and one copy for the base itself', () => {
    const base = '<p>Your order has been sent</p>';
    expect(new DifferenceBase(base).changesTo('')).toEqual([]);
    expect(new DifferenceBase(base).changesTo(base)).toEqual([0, base.length]);
    expect(new DifferenceBase('').changesTo(base)).toEqual([base]);
  });

  it('has the values that a template was filled with', () => {
    const base = '<p style="margin:0">Hello , your order  was shipped and arrives tomorrow.</p>';
    const filled = base.replace('Hello ,', 'Hello Ada,').replace('order  is', 'order A-17 is');
    const changes = new DifferenceBase(base).changesTo(filled)!;
    expect(changes.filter((change) => typeof change === 'string').join('|')).toContain('Ada');
    expect(changes.filter((change) => typeof change === 'string').join('')).not.toContain('was shipped');
  });

  it('is undefined above the given length', () => {
    const base = new DifferenceBase('x'.repeat(100));
    expect(base.changesTo('y'.repeat(100), 99)).toBeUndefined();
    expect(base.changesTo('y'.repeat(100), 100)).toBeDefined();
  });

  it.each([[[90, 20]], [[-1, 5]], [[3]], [[0, 'x']]])('that does not fit its base is refused: %j', (changes) => {
    expect(() => applyChanges('x'.repeat(100), changes)).toThrow('exceeds its base');
  });

  it('of repeated blocks takes linear time', () => {
    const base = new DifferenceBase('<td></td>'.repeat(20_000));
    const wanted = '<td>.</td>'.repeat(50_000);
    expect(applyChanges(base.text, base.changesTo(wanted)!)).toBe(wanted);
  });
});
