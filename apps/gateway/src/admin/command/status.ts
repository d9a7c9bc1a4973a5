import type { AppStatus, SystemStatus } from '@tidings/contracts/core/status';
import type { Command } from './command';
import { table } from './table';

/** The command for the status of the apps. */
export const STATUS_COMMAND: Command = {
  usage: '',
  meaning: 'whether the five apps are ready, their versions, and what waits in them; ends with 1 unless all are ready',
  run: async (client) => {
    const status = await client.request<SystemStatus>('GET', '/status');
    const rows = status.apps.map(({ name, ready, version, backlog, oldest, lag, dead }) => [
      name,
      ready ? 'yes' : 'no',
      version ?? '?',
      shown(backlog),
      oldest === null ? '?' : `${oldest} s`,
      shown(lag),
      shown(dead),
    ]);
    const lines = [...table(['APP', 'READY', 'VERSION', 'BACKLOG', 'OLDEST', 'LAG', 'DEAD'], rows), ...status.apps.flatMap(detailsOf)];
    return { data: status, lines, failed: !status.ready };
  },
};

const shown = (count: number | null) => (count === null ? '?' : String(count));

function detailsOf({ name, reason, groups, dead_letters: dead }: AppStatus) {
  return [
    ...(reason === undefined ? [] : [`${name} is not ready: ${reason}`]),
    ...groups
      .filter(({ records }) => records > 0)
      .map(({ topic, group, records }) => `${group} has ${records} records of ${topic} to handle`),
    ...dead.map(({ topic, count }) => `${topic} has ${count} dead letters: tidings dead-letters list --topic ${topic}`),
  ];
}
