import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { CallContext } from '@tidings/contracts/core/context';
import { notFound } from '@tidings/contracts/core/refusals';
import { messageIdTime, requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { Clock } from '@tidings/runtime/clock';
import { StoredMessageNotifier } from '../record/notifiers';
import { Router } from '../accept/router';

/** Ids of this age may name a message that is accepted but not stored yet. Clocks of processes differ by less. */
const FRESH_MS = 60_000;
/** Ids contain the second of their creation. */
const ID_SECOND_MS = 1_000;
/** How long a look-up waits for such a message. */
export const LOOK_UP_WAIT_MS_MAX = 2_000;
/** Interval of queries: another process may store the message. Doubles up to the maximum. */
const QUERY_MS_FIRST = 25;
const QUERY_MS_MAX = 400;

interface LoadOptions {
  /** The kind of the id, for the error message. Default: `Message`. */
  readonly what?: string;
  /** What else the id of nothing stored names, if anything; the error says it. */
  explain?(uuid: string): Promise<string | undefined>;
  /** Whether what waits to be processed is stored without that, to be canceled. */
  readonly parks?: boolean;
}

/** Lets a client read a message it has just sent, although the answer to the send did not wait for routing. */
@Injectable()
export class ReadYourWrites {
  constructor(
    private readonly storedMessages: StoredMessageNotifier,
    private readonly router: Router,
    private readonly clock: Clock,
  ) {}

  /**
   * The result of `find` for message `id`. Waits for a fresh id that is not stored yet, at most 2 s.
   * @throws ServiceError `not_found` when everything accepted before this look-up has been routed, else `unavailable`.
   */
  async load<Found>(
    { workspaceId }: Pick<CallContext, 'workspaceId'>,
    id: string,
    find: (uuid: string, startedAt: number) => Promise<Found | undefined>,
    { what = 'Message', explain, parks = false }: LoadOptions = {},
  ): Promise<Found> {
    const missing = async () => notFound((await explain?.(uuid)) ?? `${what} ${id} does not exist`);
    const uuid = requireMessageUuid(id, what);
    const startedAt = this.clock.now();
    const load = () => find(uuid, startedAt);
    const found = await load();
    if (found) return found;
    if (messageIdTime(id) > startedAt + FRESH_MS) throw await missing(); // no clock is this fast: the id is made up
    if (!this.isFresh(id, startedAt))
      throw (await this.router.hasRoutedUpTo(messageIdTime(id) + ID_SECOND_MS)) ? await missing() : notStoredYet(id, what);
    if (!this.storedMessages.canWait) throw notStoredYet(id, what);

    this.router.hurry({ workspaceId, id, waitMs: LOOK_UP_WAIT_MS_MAX, parks });
    const end = startedAt + LOOK_UP_WAIT_MS_MAX;
    for (let queryMs = QUERY_MS_FIRST; ; queryMs = Math.min(queryMs * 2, QUERY_MS_MAX)) {
      const routedBefore = await this.router.hasRoutedUpTo(startedAt);
      const late = await load();
      if (late) return late;
      if (routedBefore) throw await missing();
      const restMs = end - this.clock.now();
      if (restMs <= 0) throw notStoredYet(id, what);
      await this.storedMessages.wait(uuid, Math.min(queryMs, restMs));
    }
  }

  /**
   * For the `find` of `load`: whether all messages of a request are stored, where some are. The gateway appends a request within a minute
   * of making its id. @throws ServiceError `unavailable` where they are not and the id is not fresh, so that `load` would not wait.
   */
  async isRouted(id: string, startedAt: number): Promise<boolean> {
    if (this.router.hasStored(id)) return true;
    if (await this.router.hasRoutedUpTo(Math.min(startedAt, messageIdTime(id) + FRESH_MS))) return true;
    if (this.isFresh(id, startedAt)) return false;
    throw notStoredYet(id, 'Message');
  }

  private isFresh(id: string, now: number) {
    return Math.abs(now - messageIdTime(id)) < FRESH_MS;
  }
}

function notStoredYet(id: string, what: string) {
  return new ServiceError('unavailable', `${what} ${id} may have been accepted but is not stored yet`, { retryAfterSeconds: 1 });
}
