import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { keys } from '@tidings/contracts/identity/keys';
import { MemoryEventLog } from '../testing/memory-event-log';
import { TestClient } from '../testing/test-client';
import { AccessChanges } from './access-changes';
import { KNOWN_MS_MAX } from './key-cache';
import { ASKING_MAX, KeyVerifier } from './key-verifier';

it('asks about a bounded number of keys at once, whatever a flood makes up', async () => {
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

  const flood = Array.from({ length: ASKING_MAX }, (_, index) => Promise.resolve(verifier.verify(`wrong-${index}`, 'call')));
  expect(() => verifier.verify('one more', 'call')).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error);

  expect(answers).toHaveLength(ASKING_MAX);
  for (const answer of answers) answer();
  for (const outcome of await Promise.allSettled(flood)) expect(outcome).toMatchObject({ reason: { code: 'unauthenticated' } });
  expect(verifier.verify('one more', 'call')).toBeInstanceOf(Promise);
});

it('goes on with a key it knows while identity is away, and forgets it when identity says so', async () => {
  const known = { key_id: 'k', workspace_id: 'w', account_email: 'a@example.com', mode: 'production' as const, scopes: ['*'] };
  const client = new TestClient();
  client.answer(keys.verify, () => Promise.resolve(known));
  const changes = new AccessChanges(new MemoryEventLog());
  await changes.onModuleInit();
  const verifier = new KeyVerifier(client, changes);
  await verifier.verify('hash', 'call');
  const now = performance.now();
  const clock = jest.spyOn(performance, 'now').mockImplementation(() => now + KNOWN_MS_MAX);
  try {
    client.answer(keys.verify, () => Promise.reject(new ServiceError('unavailable', 'Away')));
    expect(verifier.verify('hash', 'call')).toEqual(known);
    await new Promise(setImmediate);
    expect(verifier.verify('hash', 'call')).toEqual(known);

    await new Promise(setImmediate);
    client.answer(keys.verify, () => Promise.reject(new ServiceError('unauthenticated', 'Unknown')));
    expect(verifier.verify('hash', 'call')).toEqual(known);
    await new Promise(setImmediate);
    expect(() => verifier.verify('hash', 'call')).toThrow(expect.objectContaining({ code: 'unauthenticated' }) as Error);
  } finally {
    clock.mockRestore();
  }
});

it('ends a key that was rotated when its time has come, though nobody tells of it and identity is away', async () => {
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
  client.answer(keys.verify, () => Promise.reject(new ServiceError('unavailable', 'Away')));
  const clock = jest.spyOn(Date, 'now').mockImplementation(() => now + 4_999);
  try {
    expect(verifier.verify('hash', 'call')).toEqual(ending);
    clock.mockImplementation(() => now + 5_000);
    expect(() => verifier.verify('hash', 'call')).toThrow(expect.objectContaining({ code: 'unauthenticated' }) as Error);
  } finally {
    clock.mockRestore();
  }
});
