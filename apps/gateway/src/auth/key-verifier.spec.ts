import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { keys } from '@tidings/contracts/identity/keys';
import { waitUntil } from '@tidings/testing/wait-until';
import { MemoryEventLog } from '../testing/memory-event-log';
import { TestClient } from '../testing/test-client';
import { AccessChanges } from './access-changes';
import { FRESH_MS_MAX } from './key-cache';
import { KeyVerifier, LOOKUPS_MAX } from './key-verifier';

const KEY = { key_id: 'k', workspace_id: 'w', account_email: 'a@example.com', mode: 'production' as const, scopes: ['*'] };

it('bounds the concurrent lookups for many invented keys', async () => {
  Logger.overrideLogger(false);
  const client = new TestClient();
  const answers: (() => void)[] = [];
  client.answer(keys.verify, async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    throw new ServiceError('unauthenticated', 'Unknown');
  });
  const changes = new AccessChanges(new MemoryEventLog());
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);

  const flood = Array.from({ length: LOOKUPS_MAX }, (_, index) => Promise.resolve(verifier.verify(`wrong-${index}`, 'call')));
  expect(() => verifier.verify('one more', 'call')).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error);

  expect(answers).toHaveLength(LOOKUPS_MAX);
  for (const answer of answers) answer();
  for (const outcome of await Promise.allSettled(flood)) expect(outcome).toMatchObject({ reason: { code: 'unauthenticated' } });
  expect(verifier.verify('one more', 'call')).toBeInstanceOf(Promise);
});

it('accepts a cached key while identity is unavailable, and drops it when identity refuses it', async () => {
  const cached = KEY;
  const client = new TestClient();
  client.answer(keys.verify, () => Promise.resolve(cached));
  const changes = new AccessChanges(new MemoryEventLog());
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);
  await verifier.verify('hash', 'call');
  const now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now + FRESH_MS_MAX);
  try {
    client.answer(keys.verify, () => Promise.reject(new ServiceError('unavailable', 'Unavailable')));
    expect(verifier.verify('hash', 'call')).toEqual(cached);
    await new Promise(setImmediate);
    expect(verifier.verify('hash', 'call')).toEqual(cached);

    await new Promise(setImmediate);
    client.answer(keys.verify, () => Promise.reject(new ServiceError('unauthenticated', 'Unknown')));
    expect(verifier.verify('hash', 'call')).toEqual(cached);
    await new Promise(setImmediate);
    expect(() => verifier.verify('hash', 'call')).toThrow(expect.objectContaining({ code: 'unauthenticated' }) as Error);
  } finally {
    clock.mockRestore();
  }
});

it('repeats a lookup that fails while the log is interrupted, and no other', async () => {
  const client = new TestClient();
  const log = new MemoryEventLog();
  const changes = new AccessChanges(log);
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);
  let calls = 0;
  const failsOnce = () => (++calls === 1 ? Promise.reject(new ServiceError('unavailable', 'Unavailable')) : Promise.resolve(KEY));

  client.answer(keys.verify, failsOnce);
  await expect(verifier.verify('hash', 'call')).rejects.toMatchObject({ code: 'unavailable' });
  log.interruptedMs = 60_000;
  calls = 0;
  await expect(verifier.verify('hash', 'call')).resolves.toEqual(KEY);
});

it('makes one call at a time while the log is interrupted and identity does not answer', async () => {
  Logger.overrideLogger(false);
  const client = new TestClient();
  const log = new MemoryEventLog();
  const changes = new AccessChanges(log);
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);
  log.interruptedMs = 60_000;
  const open: (() => void)[] = [];
  client.answer(keys.verify, async () => {
    await new Promise<void>((answer) => open.push(answer));
    throw new ServiceError('unavailable', 'Unavailable');
  });

  const waiting = Array.from({ length: 50 }, (_, index) => Promise.resolve(verifier.verify(`key-${index}`, 'call')));
  for (let calls = 1; calls <= 3; calls += 1) {
    await waitUntil(() => open.length > 0);
    expect(client.callsOf(keys.verify)).toHaveLength(calls);
    open.pop()!();
  }

  client.answer(keys.verify, () => Promise.resolve(KEY));
  await expect(Promise.all(waiting)).resolves.toEqual(waiting.map(() => KEY));
});

it('limits the calls of a lookup so that all end in its time', async () => {
  Logger.overrideLogger(false);
  const client = new TestClient();
  const log = new MemoryEventLog();
  const changes = new AccessChanges(log);
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);
  log.interruptedMs = 60_000;
  const startedAt = performance.now();
  let elapsedMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => startedAt + elapsedMs);
  client.answer(keys.verify, () => {
    elapsedMs += 3_000;
    return Promise.reject(new ServiceError('unavailable', 'Unavailable'));
  });
  try {
    await expect(verifier.verify('hash', 'call')).rejects.toMatchObject({ code: 'unavailable' });
    expect(client.callsOf(keys.verify).map(({ options }) => options?.deadlineMs)).toEqual([5_000, 2_000]);
  } finally {
    clock.mockRestore();
  }
});

it('waits no longer than its time for the call of another lookup', async () => {
  Logger.overrideLogger(false);
  const client = new TestClient();
  const log = new MemoryEventLog();
  const changes = new AccessChanges(log);
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);
  log.interruptedMs = 60_000;
  const now = performance.now.bind(performance);
  let skippedMs = 0;
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + skippedMs);
  let answer = () => {};
  client.answer(keys.verify, () => {
    if (skippedMs > 0) return new Promise((resolve) => (answer = () => resolve(KEY)));
    skippedMs = 4_500;
    return Promise.reject(new ServiceError('unavailable', 'Unavailable'));
  });
  try {
    const first = Promise.resolve(verifier.verify('hash', 'call'));
    first.catch(() => undefined); // awaited below
    await new Promise(setImmediate); // its call has failed, and it waits for another attempt
    const second = verifier.verify('other', 'call');

    await expect(first).rejects.toMatchObject({ code: 'unavailable' });
    answer();
    await expect(second).resolves.toEqual(KEY);
    expect(client.callsOf(keys.verify)).toHaveLength(2);
  } finally {
    clock.mockRestore();
  }
});

it('refuses a rotated key once it expires, without an event and while identity is unavailable', async () => {
  const now = Date.now();
  const ending = {
    key_id: 'k',
    workspace_id: 'w',
    account_email: 'a@example.com',
    mode: 'test' as const,
    scopes: ['*'],
    valid_until: now + 5_000,
  };
  const client = new TestClient();
  client.answer(keys.verify, () => Promise.resolve(ending));
  const changes = new AccessChanges(new MemoryEventLog());
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);
  await verifier.verify('hash', 'call');
  client.answer(keys.verify, () => Promise.reject(new ServiceError('unavailable', 'Unavailable')));
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 4_999);
  try {
    expect(verifier.verify('hash', 'call')).toEqual(ending);
    clock.mockImplementation(() => now + 5_000);
    expect(() => verifier.verify('hash', 'call')).toThrow(expect.objectContaining({ code: 'unauthenticated' }) as Error);
  } finally {
    clock.mockRestore();
  }
});
