import { setTimeout as delay } from 'node:timers/promises';
import { freeze } from '@tidings/runtime/process-table';
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
      // The next instance starts while the current one works, so that the group rebalances without pauses of seconds.
      let next = system.addInstance(service);
      for (let round = 1; round <= STORM_ROUNDS; round++) {
        const instance = await next;
        if (round < STORM_ROUNDS) next = system.addInstance(service);
        next.catch(() => undefined); // awaited in the next round unless this one fails
        await delay(EVERY_MS);
        try {
          // Stopped while its open attempts are counted, so that none ends or starts before the kill.
          if (service === 'messaging' && signal === 'SIGKILL') await freeze(instance.pid);
          if (service === 'messaging') await (signal === 'SIGKILL' ? noteOpen() : noteRecovered());
        } finally {
          await instance.end(signal); // SIGKILL also ends a stopped process
        }
      }
    }),
  );
});
