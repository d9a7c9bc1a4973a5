import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { KeyCache, keyName, CACHED_KEYS_MAX, FRESH_MS_MAX, REFUSED_KEYS_MAX, REFUSED_MS_MAX } from './key-cache';

const keyOf = (id: string): VerifiedKey => ({
  key_id: id,
  workspace_id: 'w',
  account_email: 'a@example.com',
  mode: 'production',
  scopes: ['*'],
});

const fresh = (id: string) => ({ key: keyOf(id), isStale: false });

it('caches a key for a minute until it is stale, and a refusal for a second', () => {
  const cache = new KeyCache();
  cache.store('good', keyOf('1'), 0);
  cache.refuse('bad', 0);

  expect([cache.find('good', FRESH_MS_MAX - 1), cache.find('bad', REFUSED_MS_MAX - 1)]).toEqual([fresh('1'), 'refused']);
  expect([cache.find('good', FRESH_MS_MAX), cache.find('bad', REFUSED_MS_MAX)]).toEqual([{ key: keyOf('1'), isStale: true }, undefined]);
});

it('evicts the least recently used key first', () => {
  const cache = new KeyCache();
  cache.store('first', keyOf('first'), 0);
  for (let id = 1; id < CACHED_KEYS_MAX; id += 1) cache.store(`hash-${id}`, keyOf(`${id}`), 0);
  cache.find('first', 1);
  cache.store('one more', keyOf('one more'), 1);

  expect(cache.size).toBe(CACHED_KEYS_MAX);
  expect([cache.find('first', 2), cache.find('hash-1', 2)]).toEqual([fresh('first'), undefined]);
});

it('evicts no key for many wrong ones', () => {
  const cache = new KeyCache();
  cache.store('good', keyOf('1'), 0);
  for (let id = 0; id <= REFUSED_KEYS_MAX; id += 1) cache.refuse(`bad-${id}`, 0);

  expect([cache.find('good', 1), cache.find('bad-0', 1), cache.find('bad-1', 1)]).toEqual([fresh('1'), undefined, 'refused']);
});

it('invalidates a key by its name, under every hash, and only within its workspace', () => {
  const cache = new KeyCache();
  cache.store('a', keyOf('1'), 0);
  cache.store('b', keyOf('1'), 0);
  cache.store('c', { ...keyOf('1'), workspace_id: 'other' }, 0);
  cache.invalidate(keyName('w', '1'));

  expect(['a', 'b', 'c'].map((hash) => cache.find(hash, 1) !== undefined)).toEqual([false, false, true]);
});
