/** A step of the message was stored while it was being canceled: the caller rolls the transaction back and retries it. */
export class ConcurrentUpdate extends Error {}

/**
 * Retries `attempt`, which is one transaction, while it throws `ConcurrentUpdate`; other errors pass through.
 * @returns its result; `conflict` where all `attemptsMax` attempts failed.
 */
export async function retryOnConflict<Result>(attemptsMax: number, attempt: () => Promise<Result>): Promise<Result | 'conflict'> {
  for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate)) throw error;
    }
  }
  return 'conflict';
}
