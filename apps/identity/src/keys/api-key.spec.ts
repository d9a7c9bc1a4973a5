import { createHash } from 'node:crypto';
import { API_KEY_FORMAT } from '@tidings/contracts/identity/workspaces';
import { hashApiKey, makeApiKey } from './api-key';

describe('makeApiKey', () => {
  it('puts the mode of the key into its prefix', () => {
    expect(makeApiKey('production')).toMatch(/^pk_prod_[0-9A-Za-z]{43}$/);
    expect(makeApiKey('test')).toMatch(/^pk_test_[0-9A-Za-z]{43}$/);
    expect(makeApiKey('test')).toMatch(API_KEY_FORMAT);
  });

  it('encodes all 256 bits: each differing bit makes another key of the same length', () => {
    const keys = new Set([makeApiKey('test', Buffer.alloc(32))]);
    for (let bit = 0; bit < 256; bit += 1) {
      const bytes = Buffer.alloc(32);
      bytes[bit >> 3] = 1 << (bit & 7);
      keys.add(makeApiKey('test', bytes));
    }
    keys.add(makeApiKey('test', Buffer.alloc(32, 0xff)));

    expect(keys.size).toBe(258);
    expect(new Set([...keys].map((key) => key.length))).toEqual(new Set(['pk_test_'.length + 43]));
  });

  it('generates another key each time', () => {
    expect(makeApiKey('production')).not.toBe(makeApiKey('production'));
  });
});

describe('hashApiKey', () => {
  it('is the SHA-256 that a caller of keys.verify sends', () => {
    expect(hashApiKey('pk_test_x').toString('hex')).toBe(createHash('sha256').update('pk_test_x').digest('hex'));
  });
});
