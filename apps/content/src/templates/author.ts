/** The author in answers: API keys are the only users that the interface knows. */
export const AUTHOR = 'api';

/** When and by whom a row was created and changed; `updatedAt` is `null` for one that was never changed. */
export function authorship({ createdAt, updatedAt }: { createdAt: Date; updatedAt: Date | null }) {
  return { created: createdAt.getTime(), creator: AUTHOR, ...(updatedAt && { updated: updatedAt.getTime(), updater: AUTHOR }) };
}
