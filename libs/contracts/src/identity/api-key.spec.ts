import { createHash } from 'node:crypto';
import { hashApiKey, hashedKey, makeApiKey } from './api-key';

describe('makeApiKey', () => {
  it('puts the mode of the key into its prefix', () => {
    expect(makeApiKey('production')).toMatch(/^pk_prod_[0-9A-Za-z]{43}$/);
    expect(makeApiKey('test')).toMatch(/^pk_test_[0-9A-Za-z]{43}$/);
  });

  it('has 256 random bits: each of 62 characters occurs at each of 43 positions', () => {
    expect(62n ** 43n).toBeGreaterThan(2n ** 256n);
    const keys = Array.from({ length: 2_000 }, () => makeApiKey('test').slice('pk_test_'.length));
    for (let position = 0; position < 43; position += 1) expect(new Set(keys.map((key) => key[position])).size).toBe(62);
  });

  it('generates another key each time', () => {
    expect(makeApiKey('production')).not.toBe(makeApiKey('production'));
  });
});

describe('hashApiKey', () => {
  it('is the SHA-256 that a caller of keys.verify sends', () => {
    expect(hashApiKey('pk_test_x')).toBe(createHash('sha256').update('pk_test_x').digest('hex'));
  });
});

describe('hashedKey', () => {
  it('has the end of a key, unless a short one would be revealed', () => {
    expect(hashedKey('pk_test_12345678')).toEqual({ hash: hashApiKey('pk_test_12345678'), hint: '5678' });
    expect(hashedKey('a short key')).toEqual({ hash: hashApiKey('a short key') });
  });
});
