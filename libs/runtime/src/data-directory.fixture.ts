import { lockDataDirectory } from './data-directory';

/** Locks the directory, prints `locked` and holds the lock until it is killed. */
lockDataDirectory(process.argv[2]!, { heartbeatMs: 50 }).then(
  () => {
    console.log('locked');
    setInterval(() => {}, 60_000);
  },
  (error: Error) => {
    console.log(`refused: ${error.message}`);
  },
);
