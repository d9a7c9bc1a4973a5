import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@tidings/testing/wait-until';
import { freeze } from './process-table';

const THREADS = 4;
const ROUNDS = 50;
/** Each thread counts in a file of its own, without a pause. */
const COUNTING = `
  const { Worker } = require('node:worker_threads');
  const count = (file) => \`
    const fs = require('node:fs');
    const descriptor = fs.openSync(\${JSON.stringify(file)}, 'w');
    for (let n = 1; ; n += 1) fs.writeSync(descriptor, String(n).padStart(12), 0);\`;
  process.argv.slice(1).forEach((file) => new Worker(count(file), { eval: true }));`;

it('no thread of a process works when it is frozen', async () => {
  const folder = mkdtempSync(path.join(tmpdir(), 'tidings-freeze-'));
  const files = Array.from({ length: THREADS }, (_, thread) => path.join(folder, String(thread)));
  const child = spawn(process.execPath, ['-e', COUNTING, ...files], { stdio: 'ignore' });
  const counts = () => files.map((file) => readFileSync(file, 'utf8'));
  try {
    await waitUntil(() => files.every((file) => readFileSync(file, { flag: 'a+' }).length > 0), { what: 'every thread to count' });
    for (let round = 0; round < ROUNDS; round += 1) {
      await freeze(child.pid!);
      const frozen = counts();
      await delay(2);
      expect(counts()).toEqual(frozen);
      child.kill('SIGCONT');
      await waitUntil(() => counts().some((count, thread) => count !== frozen[thread]), { what: 'it to continue' });
    }
  } finally {
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true });
  }
});
