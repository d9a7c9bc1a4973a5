import { ProcessLogger } from './logger';
import { Shutdown } from './shutdown';

const [mode, number] = process.argv.slice(2);
/** By this clock the second signal comes so many ms after the first, however long that takes. */
const signalsApartMs = mode === 'twice' ? Number(number) : 0;
let looks = 0;

/** Stops as its first parameter says when it is told to. */
const shutdown = new Shutdown({
  logger: ProcessLogger.create({ process: 'fixture', format: 'lines' }),
  timeoutMs: mode === 'late' ? Number(number) : undefined,
  now: () => looks++ * signalsApartMs,
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
if (mode === 'throws') setTimeout(() => void Promise.reject(new Error('nobody catches this')), 1);
setInterval(() => {}, 60_000);
console.log('ready');
