/** A message took a step while it was being canceled: whoever meets it rolls the transaction back and begins it again. */
export class ConcurrentUpdate extends Error {}

/**
 * Begins `attempt`, which is one transaction, again as long as it throws `ChangedMeanwhile`; other errors pass through.
 * @param begunMax how often it is begun at the most.
 * @returns what it came to; `changed meanwhile` where the message took a step every time.
 */
export async function retryOnConflict<Result>(begunMax: number, attempt: () => Promise<Result>): Promise<Result | 'changed meanwhile'> {
  for (let begun = 1; begun <= begunMax; begun += 1) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof ConcurrentUpdate)) throw error;
    }
  }
  return 'changed meanwhile';
}
