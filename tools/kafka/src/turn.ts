import { accessSync, constants, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDataDirectory } from '@tidings/runtime/data-directory';

const RETRY_MS = 50;

/**
 * Does `work` while no other process does its own in the same folder, which is made if it is not there. A process that died at
 * work hinders nobody. Throws when the others take longer than `timeoutMs`.
 */
export async function inTurn<Result>(directory: string, timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(directory, { recursive: true });
  accessSync(directory, constants.W_OK);
  for (const until = Date.now() + timeoutMs; ; await delay(RETRY_MS)) {
    const lock = await lockDataDirectory(directory).catch((error: unknown) => {
      // The folder can be used, so somebody else has it.
      if (Date.now() > until)
        throw new Error(`Another process is busy in ${directory} for more than ${timeoutMs / 1000} s`, { cause: error });
    });
    if (!lock) continue;
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}
