import { Injectable } from '@nestjs/common';
import { ServiceError } from '@tidings/contracts/core/errors';
import { messageIdTime, requireMessageUuid } from '@tidings/contracts/messaging/message-id';
import { Clock } from '@tidings/runtime/clock';
import { StoredMessageNotifier } from '../routing/stored-message-notifier';
import { Router } from '../routing/router';

/** Ids made this recently may name a message that is accepted but not stored yet; clocks of those who make ids differ by less. */
const FRESH_MS = 60_000;
/** An id tells the second it was made in, not the instant. */
const ID_SECOND_MS = 1_000;
/** How long a look-up waits for such a message. */
export const LOOK_UP_WAIT_MS_MAX = 2_000;
/** Another process may be the one that stores it: between looks. */
const LOOK_MS_FIRST = 25;
const LOOK_MS_MAX = 400;

/** Lets a client read what it has just sent, although the answer to the send did not wait for routing. */
@Injectable()
export class ReadYourWrites {
  constructor(
    private readonly arrivals: StoredMessageNotifier,
    private readonly router: Router,
    private readonly clock: Clock,
  ) {}

  /**
   * What `find` finds for message `id`. A fresh id that is not there yet is waited for, at most 2 s. Then: `not_found`
   * when everything accepted before this look-up has been routed, `unavailable` when that cannot be said. `what` the id names, for people.
   */
  async load<Found>(id: string, find: (uuid: string, startedAt: number) => Promise<Found | undefined>, what = 'Message'): Promise<Found> {
    const notFound = (): ServiceError => new ServiceError('not_found', `${what} ${id} does not exist`);
    const notYet = (): ServiceError => notStoredYet(id, what);
    const uuid = requireMessageUuid(id, what);
    const startedAt = this.clock.now();
    const load = (): Promise<Found | undefined> => find(uuid, startedAt);
    const found = await load();
    if (found) return found;
    if (messageIdTime(id) > startedAt + FRESH_MS) throw notFound(); // no clock is this fast: nobody has made it
    if (!this.isFresh(id, startedAt)) throw (await this.router.hasRoutedUpTo(messageIdTime(id) + ID_SECOND_MS)) ? notFound() : notYet();
    if (!this.arrivals.hasRoom) throw notYet();

    const end = startedAt + LOOK_UP_WAIT_MS_MAX;
    for (let lookMs = LOOK_MS_FIRST; this.clock.now() < end; lookMs = Math.min(lookMs * 2, LOOK_MS_MAX)) {
      const routedBefore = await this.router.hasRoutedUpTo(startedAt);
      const late = await load();
      if (late) return late;
      if (routedBefore) throw notFound();
      await this.arrivals.wait(uuid, Math.min(lookMs, end - this.clock.now()));
    }
    const last = await load();
    if (last) return last;
    throw notYet();
  }

  /**
   * For the `find` of `load`: whether all that was accepted under an id of which some is stored is stored by now. Whoever accepts appends
   * within a minute. @throws ServiceError `unavailable` where it is not, and the id is not fresh: then `load` would not wait.
   */
  async isRouted(id: string, startedAt: number): Promise<boolean> {
    if (await this.router.hasRoutedUpTo(Math.min(startedAt, messageIdTime(id) + FRESH_MS))) return true;
    if (this.isFresh(id, startedAt)) return false;
    throw notStoredYet(id, 'Message');
  }

  private isFresh(id: string, now: number): boolean {
    return Math.abs(now - messageIdTime(id)) < FRESH_MS;
  }
}

function notStoredYet(id: string, what: string): ServiceError {
  return new ServiceError('unavailable', `${what} ${id} may have been accepted but is not stored yet`, { retryAfterSeconds: 1 });
}
