/** `npm run dev`: the standalone product with two seeded workspaces, compiled and restarted on every save. */
import { spawn } from 'node:child_process';
import { buildConsole } from './lib/console-build.mjs';
import { endWithNpm } from './lib/end-with-npm.mjs';
import { Restartable } from './lib/restartable.mjs';
import { runTool, setUp, tsc } from './lib/set-up.mjs';

/** Several files saved within this time are one change. */
const SETTLE_MS = 150;

/** The compiler's output after each round; it has no other notification. */
const COMPILED = /Found (\d+) errors?\. Watching for file changes/;

await runTool(async () => {
  endWithNpm();
  setUp('apps/standalone');
  await buildConsole();
  const compiler = spawn(process.execPath, [tsc, '-b', 'apps/standalone', '--watch', '--preserveWatchOutput'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const standalone = new Restartable('apps/standalone/dist/main.js', ['--seed', ...process.argv.slice(2)]);

  let settling;
  let first = true;
  let line = '';
  compiler.stdout.on('data', (chunk) => {
    process.stdout.write(chunk);
    const lines = (line + chunk).split('\n');
    line = lines.pop();
    for (const text of lines) {
      const errors = COMPILED.exec(text)?.[1];
      if (errors === undefined) continue;
      clearTimeout(settling);
      if (errors === '0' && !first) settling = setTimeout(() => void standalone.restart(), SETTLE_MS);
      first = false; // `setUp` has built everything before the first round
    }
  });
  await standalone.start();

  const end = async (code) => {
    clearTimeout(settling);
    compiler.kill();
    await standalone.stop();
    process.exit(code);
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, () => void end(0));
  // npm forwards a signal that the terminal has already sent.
  process.on('SIGINT', () => {});
  compiler.once('exit', () => void end(1));
});
