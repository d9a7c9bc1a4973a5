import { existsSync } from 'node:fs';
import { ServiceError } from '@tidings/contracts/core/errors';
import { startManagementServer } from './management';
import { runProcess } from './run-process';

/** A process with an HTTP server that waits for the file `FIXTURE_FILE`, or fails with the message `FIXTURE_FAULT` when that is set. */
runProcess(
  'standalone',
  async ({ configuration, health, publicMetrics, onStop, releasePort, waitFor }) => {
    onStop('the first part', () => console.log('first part stopped'));
    if (process.env.FIXTURE_FAULT) throw new Error(process.env.FIXTURE_FAULT);
    await waitFor('the file', async () => {
      if (!existsSync(process.env.FIXTURE_FILE!)) throw new ServiceError('unavailable', 'it does not exist');
    });
    releasePort();
    const server = await startManagementServer({ port: configuration.port, health, metrics: publicMetrics });
    onStop('the HTTP server', () => server.close());
    console.log('open');
  },
  { servesHttp: true, format: 'lines', flags: { '--seed': 'two workspaces' } },
);
