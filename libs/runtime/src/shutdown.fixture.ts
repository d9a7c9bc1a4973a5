import { ProcessLogger } from './logger';
import { Shutdown } from './shutdown';

/** Stops as its parameter says when it is told to. */
const shutdown = new Shutdown({
  logger: ProcessLogger.create({ process: 'fixture', format: 'lines' }),
  timeoutMs: Number(process.argv[3] ?? 10_000),
});
shutdown.listen();
shutdown.onStop('database', () => console.log('database stopped'));
shutdown.onStop('gateway', async () => {
  console.log('gateway stopping');
  if (process.argv[2] === 'fails') throw new Error('cannot stop');
  if (process.argv[2] === 'hangs') await new Promise(() => {});
  await new Promise((resolve) => setTimeout(resolve, 50));
  console.log('gateway stopped');
});
if (process.argv[2] === 'throws') setTimeout(() => void Promise.reject(new Error('nobody catches this')), 1);
setInterval(() => {}, 60_000);
console.log('ready');
