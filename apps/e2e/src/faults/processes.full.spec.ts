import { faultScenarios } from '../testing/fault-scenarios';
describe('kill -9 of a process under load', () => {
  const throughFault = faultScenarios();

  it.each(['gateway', 'identity', 'audience', 'content', 'messaging'] as const)('%s', (name) =>
    throughFault(`kill -9 of ${name}`, ({ system, noteOpen }) => system.killProcess(name, name === 'messaging' ? noteOpen : undefined), {
      mayLose: name === 'gateway',
    }),
  );
});
