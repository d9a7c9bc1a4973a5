import { jsonBytes, withReferences } from './references';

const PATH = '/messages/1-x/history#/results/0';

describe('withReferences', () => {
  it('returns an object that fits unchanged', () => {
    const fields = { type: 'SENT', text: 'x'.repeat(80) };
    expect(withReferences(fields, PATH, 1_000, ['type'])).toBe(fields);
  });

  it('replaces the largest fields first, and only as many as necessary', () => {
    const fields = { type: 'ENQUEUED', small: 'x'.repeat(300), large: ['y'.repeat(2_000)], larger: { z: 'z'.repeat(3_000) } };

    expect(withReferences(fields, PATH, 2_500, ['type'])).toEqual({ ...fields, larger: { $ref: `${PATH}/larger` } });
    expect(withReferences(fields, PATH, 600, ['type'])).toEqual({
      ...fields,
      large: { $ref: `${PATH}/large` },
      larger: { $ref: `${PATH}/larger` },
    });
  });

  it('counts bytes, not characters', () => {
    const fields = { text: 'あ'.repeat(400) };
    expect(jsonBytes(fields)).toBeGreaterThan(1_200);
    expect(withReferences(fields, PATH, 1_000, [])).toEqual({ text: { $ref: `${PATH}/text` } });
  });

  it('fits objects with undefined and array fields, and does not change its input', () => {
    const fields = { type: 'SENT', missing: undefined, many: Array.from({ length: 500 }, (_, n) => n), note: 'x'.repeat(900) };
    const fit = withReferences(fields, PATH, 300, ['type']);
    expect(jsonBytes(fit)).toBeLessThanOrEqual(300);
    expect(fields.note).toHaveLength(900);
  });
});
