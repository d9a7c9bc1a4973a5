/** `npm run kafka -- start | stop | status | …`: an Apache Kafka for development, without Docker. `npm run kafka -- help` */
import { spawn } from 'node:child_process';
import path from 'node:path';
import { root, runTool, setUp } from './lib/set-up.mjs';

// Standard output carries only the bootstrap servers.
console.log = console.error;

await runTool(async () => {
  setUp('tools/kafka');
  const child = spawn(process.execPath, [path.join(root, 'tools/kafka/dist/main.js'), ...process.argv.slice(2)], { stdio: 'inherit' });
  // The terminal signals the runner as well; this process waits for it.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => signal === 'SIGINT' || child.kill(signal));
  process.exitCode = await new Promise((resolve) => child.once('exit', (code) => resolve(code ?? 1)));
});
