import { faultStories } from '../testing/fault-story';

jest.setTimeout(300_000);

describe('kill -9 of a process under load', () => {
  const throughFault = faultStories();

  it.each(['gateway', 'identity', 'audience', 'content', 'messaging'] as const)('%s', (name) =>
    throughFault(
      `kill -9 of ${name}`,
      async ({ system, noteRecovered }) => {
        if (name === 'messaging') await noteRecovered();
        await system.killProcess(name);
      },
      { mayLose: name === 'gateway' },
    ),
  );
});
