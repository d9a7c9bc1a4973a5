import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { isMainThread } from 'node:worker_threads';
import { PROFILE_DIRECTORY, profileFile } from './profile-names';

/**
 * Required into a process of the product before anything else: profiles it from the start, and writes the profile when it
 * ends in order. `--cpu-prof` would do the same, but a process's children do not inherit it: NODE_OPTIONS refuses it.
 */
const directory = process.env[PROFILE_DIRECTORY];
if (directory !== undefined && isMainThread) {
  const session = new Session();
  session.connect();
  session.post('Profiler.enable');
  session.post('Profiler.start');
  process.once('exit', () => {
    // A session with its own thread answers at once.
    session.post('Profiler.stop', (error, result) => {
      if (error) process.stderr.write(`No CPU profile: ${error.message}\n`);
      else writeFileSync(profileFile(directory, process.pid), JSON.stringify(result.profile));
    });
  });
}
