import { ProcessLogger } from './logger';
import { Shutdown } from './shutdown';

const [mode, number] = process.argv.slice(2);
/** Time between the two signals, by the injected clock, independent of real time. */
const signalsApartMs = mode === 'twice' ? Number(number) : 0;
let reads = 0;

/** Stops on a signal, in the mode of its first parameter. */
const shutdown = new Shutdown({
  logger: ProcessLogger.create({ process: 'fixture', format: 'lines' }),
  timeoutMs: mode === 'late' ? Number(number) : undefined,
  now: () => reads++ * signalsApartMs,
});
shutdown.listen();
let signals = 0;
const secondSignal = new Promise<void>((came) => process.on('SIGINT', () => void (++signals === 2 && came())));
shutdown.onStop('database', () => console.log('database stopped'));
shutdown.onStop('gateway', async () => {
  console.log('gateway stopping');
  if (mode === 'fails') throw new Error('cannot stop');
  if (mode === 'late') await new Promise(() => {});
  if (mode === 'twice') await secondSignal;
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log('gateway stopped');
});
if (mode === 'throws') setTimeout(() => void Promise.reject(new Error('not caught')), 1);
setInterval(() => {}, 60_000);
console.log('ready');
