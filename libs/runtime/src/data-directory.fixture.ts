import { lockDataDirectory } from './data-directory';

/** Takes the directory, says so, and keeps it until it is killed. */
lockDataDirectory(process.argv[2]!, { heartbeatMs: 50 }).then(
  () => {
    console.log('locked');
    setInterval(() => {}, 60_000);
  },
  (error: Error) => {
    console.log(`refused: ${error.message}`);
  },
);
