import { unavailable } from '@tidings/contracts/core/errors';
import { reasonOf } from '@tidings/persistence/errors';
import type { StoredMails } from './erasure-traces.handlers';

/** Route of the development mailbox that erases the mails to `{addresses}` and answers `{removed}`. */
export const MAILBOX_ERASE_PATH = '/dev/mailbox/erase';

const TIMEOUT_MS = 5_000;

/** The development mailbox of the process that started this one. */
export class RemoteMails implements StoredMails {
  /** @param url of its HTTP server. */
  constructor(private readonly url: string) {}

  /** @throws ServiceError `unavailable` where the mailbox does not answer: its mails may be there still. */
  async erase(addresses: readonly string[]): Promise<number> {
    try {
      const answer = await fetch(new URL(MAILBOX_ERASE_PATH, this.url), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ addresses }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      if (!answer.ok) throw new Error(`it answered ${answer.status}`);
      return ((await answer.json()) as { removed: number }).removed;
    } catch (error) {
      throw unavailable(`The mails in the development mailbox at ${this.url} cannot be erased now: ${reasonOf(error)}`, error);
    }
  }
}
