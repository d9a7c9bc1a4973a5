import { type ProcessContext, type ProcessOptions, runProcess } from '@tidings/runtime/run-process';
import { banner, type Running } from './banner';
import { StartProgress } from './start-progress';

/** Argument that adds a second workspace, for development. */
const SEED_FLAG = '--seed';

/** What `start` gets besides: it calls `onStep` with what it does next. */
export interface StartContext extends ProcessContext {
  readonly onStep: (step: string) => void;
}

/** Runs the product as `start` composes it; prints the banner once it is ready, and its steps while that takes longer than `silentMs`. */
export function runStandalone(
  start: (context: StartContext, seed: boolean) => Promise<Running>,
  { silentMs, ...options }: Pick<ProcessOptions, 'destination' | 'stopTimeoutMs'> & { silentMs?: number } = {},
) {
  runProcess(
    'standalone',
    async (context) => {
      const progress = new StartProgress((step) => context.logger.log(`${step} …`, 'Start'), silentMs);
      const running = await start({ ...context, onStep: (step) => progress.begin(step) }, context.flags.includes(SEED_FLAG)).finally(() =>
        progress.end(),
      );
      if (context.signal.aborted) return; // stopped during the start: no banner
      process.stdout.write(`${banner(running)}\n`);
    },
    { ...options, servesHttp: true, format: 'lines', flags: { [SEED_FLAG]: 'two workspaces' } },
  );
}
