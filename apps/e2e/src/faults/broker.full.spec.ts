import { setTimeout as delay } from 'node:timers/promises';
import { faultScenarios } from '../testing/fault-scenarios';
/** Longer than the timeout of any broker request. */
const FROZEN_MS = 12_000;
const DOWN_MS = 3_000;

describe('the only broker under load', () => {
  const throughFault = faultScenarios();

  it('is killed and started again', () =>
    throughFault('the only broker killed and down for 3 s', async ({ kafka }) => {
      await kafka.kill(1);
      await delay(DOWN_MS);
      await kafka.startBroker(1);
    }));

  it('is frozen for 12 s', () =>
    throughFault('the only broker frozen for 12 s', async ({ kafka }) => {
      await kafka.freeze(1);
      await delay(FROZEN_MS);
      await kafka.thaw(1);
    }));
});

describe('one of three brokers under load', () => {
  const throughFault = faultScenarios({ brokers: 3 });

  it('is killed and started again', () =>
    throughFault('one of three brokers killed and down for 3 s', async ({ kafka }) => {
      await kafka.kill(2);
      await delay(DOWN_MS);
      await kafka.startBroker(2);
    }));

  it('is frozen for 12 s', () =>
    throughFault('one of three brokers frozen for 12 s', async ({ kafka }) => {
      await kafka.freeze(3);
      await delay(FROZEN_MS);
      await kafka.thaw(3);
    }));
});
