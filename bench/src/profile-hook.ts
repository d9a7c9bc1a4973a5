import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';
import { PROFILE_DIRECTORY, profileFile } from './profile-names';

/**
 * Loaded first in a process of the product: profiles it from the start and writes the profile at its orderly end. `--cpu-prof`
 * does not reach child processes, because NODE_OPTIONS refuses it.
 */
const directory = process.env[PROFILE_DIRECTORY];
if (directory !== undefined && isMainThread) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.start');
  process.once('exit', () => {
    // A session within its own thread calls back synchronously.
    session.post('Profiler.stop', (error, result) => {
      if (error) process.stderr.write(`No CPU profile: ${error.message}\n`);
      else writeFileSync(profileFile(directory, process.pid), JSON.stringify(result.profile));
    });
  });
}
