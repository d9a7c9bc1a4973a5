import { createHmac, randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { Hmac } from './hmac';

const bytesOf = (part: string | Buffer | null) => Buffer.from(part ?? '');

it('is what createHmac makes of the same bytes, for keys and parts of all lengths', () => {
  const part = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
    fc.constant(null),
  );
  fc.assert(
    fc.property(
      fc.integer({ min: 0, max: 64 }).map((size) => randomBytes(size)),
      fc.array(fc.array(part)),
      (key, records) => {
        const hmac = new Hmac(key);
        for (const parts of records) {
          const bytes = Buffer.concat(parts.map(bytesOf));
          expect(hmac.of(parts, bytes.length)).toBe(createHmac('sha256', key).update(bytes).digest('base64url'));
        }
      },
    ),
  );
});

it('signs records of a megabyte, and small ones after them', () => {
  const key = randomBytes(32);
  const hmac = new Hmac(key);
  for (const text of ['a', 'ü'.repeat(500_000), 'b']) {
    const expected = createHmac('sha256', key).update(text).digest('base64url');
    expect(hmac.of([text], Buffer.byteLength(text))).toBe(expected);
  }
});

it('refuses a key that is longer than a block', () => {
  expect(() => new Hmac(randomBytes(65))).toThrow(RangeError);
});
