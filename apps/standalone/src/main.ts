import 'reflect-metadata';
import { runProcess } from '@tidings/runtime/run-process';
import { banner } from './banner';
import { SEED_FLAG } from './seed-flag';
import { startStandalone } from './start-standalone';

/** Everything in one process. */
runProcess(
  'standalone',
  async (context) => {
    const running = await startStandalone(context, { seed: context.flags.includes(SEED_FLAG) });
    if (context.signal.aborted) return; // stopped during the start: no banner
    process.stdout.write(`${banner(running)}\n`);
  },
  { servesHttp: true, format: 'lines', flags: { [SEED_FLAG]: 'two workspaces' } },
);
