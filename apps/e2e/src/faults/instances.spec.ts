import { setTimeout as delay } from 'node:timers/promises';
import { throughFault } from '../testing/fault-story';

jest.setTimeout(300_000);

const STORM_ROUNDS = 5;
const EVERY_MS = 2_000;

describe('instances that join and leave every two seconds under load', () => {
  it.each([
    ['identity', 'SIGTERM'],
    ['messaging', 'SIGTERM'],
    ['identity', 'SIGKILL'],
    ['messaging', 'SIGKILL'],
  ] as const)('%s, ended by %s', (service, signal) =>
    throughFault(`${service} instances joining, and leaving by ${signal}, every 2 s`, async ({ system, noteRecovered }) => {
      for (let round = 0; round < STORM_ROUNDS; round++) {
        const instance = await system.addInstance(service);
        await delay(EVERY_MS);
        if (service === 'messaging') await noteRecovered();
        await instance.end(signal);
      }
    }),
  );
});
