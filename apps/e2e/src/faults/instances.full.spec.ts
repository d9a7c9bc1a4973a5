import { setTimeout as delay } from 'node:timers/promises';
import { faultScenarios } from '../testing/fault-scenarios';
const STORM_ROUNDS = 3;
const EVERY_MS = 2_000;

describe('instances that join and leave every two seconds under load', () => {
  const throughFault = faultScenarios();

  it.each([
    ['identity', 'SIGTERM'],
    ['messaging', 'SIGTERM'],
    ['identity', 'SIGKILL'],
    ['messaging', 'SIGKILL'],
  ] as const)('%s, ended by %s', (service, signal) =>
    throughFault(`${service} instances joining, and leaving by ${signal}, every 2 s`, async ({ system, noteOpen, noteRecovered }) => {
      // The next one starts while the one before it works: else the group would have a rest of several seconds every time.
      let coming = system.addInstance(service);
      for (let round = 1; round <= STORM_ROUNDS; round++) {
        const instance = await coming;
        if (round < STORM_ROUNDS) coming = system.addInstance(service);
        coming.catch(() => undefined); // it is awaited in the next round, unless this one fails
        await delay(EVERY_MS);
        try {
          // It stands still while its open attempts are counted: it ends none and begins none before it is killed.
          if (service === 'messaging' && signal === 'SIGKILL') instance.signal('SIGSTOP');
          if (service === 'messaging') await (signal === 'SIGKILL' ? noteOpen() : noteRecovered());
        } finally {
          await instance.end(signal); // nobody else can end one that stands still
        }
      }
    }),
  );
});
