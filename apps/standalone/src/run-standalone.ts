import { type ProcessContext, type ProcessOptions, runProcess } from '@tidings/runtime/run-process';
import { banner, type Running } from './banner';

/** Argument that adds a second workspace, for development. */
const SEED_FLAG = '--seed';

/** Runs the product as `start` composes it; prints the banner once it is ready. */
export function runStandalone(
  start: (context: ProcessContext, seed: boolean) => Promise<Running>,
  options: Pick<ProcessOptions, 'destination' | 'stopTimeoutMs'> = {},
) {
  runProcess(
    'standalone',
    async (context) => {
      const running = await start(context, context.flags.includes(SEED_FLAG));
      if (context.signal.aborted) return; // stopped during the start: no banner
      process.stdout.write(`${banner(running)}\n`);
    },
    { ...options, servesHttp: true, format: 'lines', flags: { [SEED_FLAG]: 'two workspaces' } },
  );
}
