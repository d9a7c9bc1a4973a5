import { spawn } from 'node:child_process';
import { join } from 'node:path';

/** Starts the other fixture with an IPC channel and prints when it waits. */
const child = spawn(process.execPath, [...process.execArgv, join(__dirname, 'run-process.fixture.ts')], {
  stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  detached: true,
});
child.stdout!.on('data', (text) => {
  if (String(text).includes('Waiting for the file')) console.log(`child ${child.pid} waits`);
});
