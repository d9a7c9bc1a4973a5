import { Logger } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { keys } from '@tidings/contracts/identity/keys';
import { MemoryEventLog } from '../testing/memory-event-log';
import { TestClient } from '../testing/test-client';
import { ASKING_MAX, KeyVerifier } from './key-verifier';

it('asks about a bounded number of keys at once, whatever a flood makes up', async () => {
  Logger.overrideLogger(false);
  const client = new TestClient();
  const answers: (() => void)[] = [];
  client.answer(keys.verify, async () => {
    await new Promise<void>((resolve) => answers.push(resolve));
    throw new ServiceError('unauthenticated', 'Unknown');
  });
  const verifier = new KeyVerifier(client, new MemoryEventLog());
  await verifier.onModuleInit();

  const flood = Array.from({ length: ASKING_MAX }, (_, index) => Promise.resolve(verifier.verify(`wrong-${index}`, 'call')));
  expect(() => verifier.verify('one more', 'call')).toThrow(expect.objectContaining({ code: 'unavailable' }) as Error);

  expect(answers).toHaveLength(ASKING_MAX);
  for (const answer of answers) answer();
  for (const outcome of await Promise.allSettled(flood)) expect(outcome).toMatchObject({ reason: { code: 'unauthenticated' } });
  expect(verifier.verify('one more', 'call')).toBeInstanceOf(Promise);
});
