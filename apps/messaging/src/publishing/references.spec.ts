import { jsonBytes, withReferences } from './references';

const PLACE = '/messages/1-x/history#/results/0';

describe('withReferences', () => {
  it('leaves what fits as it is', () => {
    const fields = { type: 'SENT', text: 'x'.repeat(80) };
    expect(withReferences(fields, PLACE, 1_000, ['type'])).toBe(fields);
  });

  it('replaces the largest fields, and only as many as necessary', () => {
    const fields = { type: 'ENQUEUED', small: 'x'.repeat(300), large: ['y'.repeat(2_000)], larger: { z: 'z'.repeat(3_000) } };

    expect(withReferences(fields, PLACE, 2_500, ['type'])).toEqual({ ...fields, larger: { $ref: `${PLACE}/larger` } });
    expect(withReferences(fields, PLACE, 600, ['type'])).toEqual({
      ...fields,
      large: { $ref: `${PLACE}/large` },
      larger: { $ref: `${PLACE}/larger` },
    });
  });

  it('counts bytes, not characters', () => {
    const fields = { text: 'あ'.repeat(400) };
    expect(jsonBytes(fields)).toBeGreaterThan(1_200);
    expect(withReferences(fields, PLACE, 1_000, [])).toEqual({ text: { $ref: `${PLACE}/text` } });
  });

  it('fits whatever came, and leaves it unchanged', () => {
    const fields = { type: 'SENT', gone: undefined, many: Array.from({ length: 500 }, (_, n) => n), note: 'x'.repeat(900) };
    const fit = withReferences(fields, PLACE, 300, ['type']);
    expect(jsonBytes(fit)).toBeLessThanOrEqual(300);
    expect(fields.note).toHaveLength(900);
  });
});
