import type { VerifiedKey } from '@tidings/contracts/identity/keys';
import { KeyCache, keyName, KNOWN_KEYS_MAX, KNOWN_MS_MAX, REFUSED_KEYS_MAX, REFUSED_MS_MAX } from './key-cache';

const keyOf = (id: string): VerifiedKey => ({
  key_id: id,
  workspace_id: 'w',
  account_email: 'a@example.com',
  mode: 'production',
  scopes: ['*'],
});

const fresh = (id: string) => ({ key: keyOf(id), isStale: false });

it('believes a key for a minute before it is stale, and a refusal for a second', () => {
  const cache = new KeyCache();
  cache.keep('good', keyOf('1'), 0);
  cache.refuse('bad', 0);

  expect([cache.find('good', KNOWN_MS_MAX - 1), cache.find('bad', REFUSED_MS_MAX - 1)]).toEqual([fresh('1'), 'refused']);
  expect([cache.find('good', KNOWN_MS_MAX), cache.find('bad', REFUSED_MS_MAX)]).toEqual([{ key: keyOf('1'), isStale: true }, undefined]);
});

it('forgets the least recently used key first', () => {
  const cache = new KeyCache();
  cache.keep('first', keyOf('first'), 0);
  for (let id = 1; id < KNOWN_KEYS_MAX; id += 1) cache.keep(`hash-${id}`, keyOf(`${id}`), 0);
  cache.find('first', 1);
  cache.keep('one more', keyOf('one more'), 1);

  expect(cache.size).toBe(KNOWN_KEYS_MAX);
  expect([cache.find('first', 2), cache.find('hash-1', 2)]).toEqual([fresh('first'), undefined]);
});

it('loses no key to a flood of wrong ones', () => {
  const cache = new KeyCache();
  cache.keep('good', keyOf('1'), 0);
  for (let id = 0; id <= REFUSED_KEYS_MAX; id += 1) cache.refuse(`bad-${id}`, 0);

  expect([cache.find('good', 1), cache.find('bad-0', 1), cache.find('bad-1', 1)]).toEqual([fresh('1'), undefined, 'refused']);
});

it('forgets a key by its name, under every hash, and only within its workspace', () => {
  const cache = new KeyCache();
  cache.keep('a', keyOf('1'), 0);
  cache.keep('b', keyOf('1'), 0);
  cache.keep('c', { ...keyOf('1'), workspace_id: 'other' }, 0);
  cache.forget(keyName('w', '1'));

  expect(['a', 'b', 'c'].map((hash) => cache.find(hash, 1) !== undefined)).toEqual([false, false, true]);
});
