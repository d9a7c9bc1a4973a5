import { existsSync } from 'node:fs';
import { ServiceError } from '@tidings/contracts/core/errors';
import { startManagementServer } from './management';
import { runProcess } from './run-process';

/** A process with a door that waits for the file of `FIXTURE_FILE`, or fails if `FIXTURE_FAULT` says so. */
runProcess(
  'standalone',
  async ({ configuration, health, doorMetrics, onStop, openDoor, waitFor }) => {
    onStop('the first part', () => console.log('first part stopped'));
    if (process.env.FIXTURE_FAULT) throw new Error(process.env.FIXTURE_FAULT);
    await waitFor('the file', async () => {
      if (!existsSync(process.env.FIXTURE_FILE!)) throw new ServiceError('unavailable', 'it is not there');
    });
    openDoor();
    const door = await startManagementServer({ port: configuration.port, health, metrics: doorMetrics });
    onStop('the door', () => door.close());
    console.log('open');
  },
  { door: true, format: 'lines', flags: { '--seed': 'two workspaces' } },
);
