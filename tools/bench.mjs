/** `npm run bench -- accept | deliver | idle | render | render-text | rpc | scale | lists | listing | audience | lanes | crud | limits | signatures | metrics | apns | vendors | callbacks | soak | sizing | check [flags]`: measures the product against its floors. docs/benchmarks.md */
import { spawn, spawnSync } from 'node:child_process';
import path from 'node:path';
import { bundle, root, runTool, setUp, SetUpError, tsc } from './lib/set-up.mjs';

const BENCHES = [
  'accept',
  'deliver',
  'idle',
  'render',
  'render-text',
  'rpc',
  'scale',
  'lists',
  'listing',
  'audience',
  'lanes',
  'crud',
  'limits',
  'signatures',
  'metrics',
  'apns',
  'vendors',
  'callbacks',
  'soak',
  'sizing',
  'check',
];

await runTool(async () => {
  const [name, ...flags] = process.argv.slice(2);
  if (!BENCHES.includes(name)) throw new SetUpError(`Name one bench: npm run bench -- ${BENCHES.join(' | ')}`);
  setUp('apps/standalone', 'all');
  bundle();
  // `setUp` does not cover these sources; the compiler is fast when nothing changed.
  const { status } = spawnSync(process.execPath, [tsc, '-b', 'bench'], { stdio: 'inherit', cwd: root });
  if (status !== 0) throw new SetUpError('The sources do not compile: see above.');

  const child = spawn(process.execPath, [path.join(root, 'bench/dist', `${name}.js`), ...flags], { stdio: 'inherit' });
  // The terminal signals the bench as well; it stops its processes, and this process waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
  process.exitCode = await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
});
