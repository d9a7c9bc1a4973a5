import { setTimeout as delay } from 'node:timers/promises';
import { throughFault } from '../testing/fault-story';

jest.setTimeout(300_000);

/** Longer than any request to a broker is waited for. */
const FROZEN_MS = 12_000;
const AWAY_MS = 3_000;

describe('a broker under load', () => {
  it('is killed and started again: the only one', () =>
    throughFault('the only broker killed, 3 s away', async ({ kafka }) => {
      await kafka.kill(1);
      await delay(AWAY_MS);
      await kafka.startBroker(1);
    }));

  it('is frozen for 12 s: the only one', () =>
    throughFault('the only broker frozen for 12 s', async ({ kafka }) => {
      await kafka.freeze(1);
      await delay(FROZEN_MS);
      await kafka.thaw(1);
    }));

  it('is killed and started again: one of three', () =>
    throughFault(
      'one of three brokers killed, 3 s away',
      async ({ kafka }) => {
        await kafka.kill(2);
        await delay(AWAY_MS);
        await kafka.startBroker(2);
      },
      { brokers: 3 },
    ));

  it('is frozen for 12 s: one of three', () =>
    throughFault(
      'one of three brokers frozen for 12 s',
      async ({ kafka }) => {
        await kafka.freeze(3);
        await delay(FROZEN_MS);
        await kafka.thaw(3);
      },
      { brokers: 3 },
    ));
});
