import { accessSync, constants, mkdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { lockDataDirectory } from '@tidings/runtime/data-directory';

const RETRY_MS = 50;

/**
 * Runs `work` under an exclusive lock of the folder, which is created if missing. The lock of a dead process is free.
 * @throws Error when other processes have the lock longer than `timeoutMs`
 */
export async function withFolderLock<Result>(directory: string, timeoutMs: number, work: () => Promise<Result>): Promise<Result> {
  mkdirSync(directory, { recursive: true });
  accessSync(directory, constants.W_OK);
  for (const until = Date.now() + timeoutMs; ; await delay(RETRY_MS)) {
    const lock = await lockDataDirectory(directory).catch((error: unknown) => {
      // The folder is writable, so another process has the lock.
      if (Date.now() > until)
        throw new Error(`Another process has locked ${directory} for more than ${timeoutMs / 1000} s`, { cause: error });
    });
    if (!lock) continue;
    try {
      return await work();
    } finally {
      lock.release();
    }
  }
}
