import { Injectable } from '@nestjs/common';
import { Sweeper } from '@tidings/jobs/sweeper';
import { Database } from '@tidings/persistence/database';
import { ProviderChanges } from '../providers/provider-configurations';
import { nextReleaseMs, RELEASE_DELAY_MS, releaseNext } from '../record/delivery-releases';
import { Dispatcher } from './dispatcher';

/** A release that its process did not complete is continued after this time. */
const INTERVAL_MS = 30_000;

/** Makes the waiting deliveries of changed, disabled and removed providers due, a page in each transaction. */
@Injectable()
export class DeliveryReleaser extends Sweeper {
  constructor(
    private readonly database: Database,
    private readonly dispatcher: Dispatcher,
    changes: ProviderChanges,
  ) {
    super({ queue: 'messaging.delivery_releases', what: 'Releasing deliveries of changed providers', intervalMs: INTERVAL_MS });
    changes.onChange(() => this.wake(RELEASE_DELAY_MS));
    changes.onMissed(() => this.wake(RELEASE_DELAY_MS));
  }

  protected async step(): Promise<boolean> {
    if (await this.database.transaction((tx) => releaseNext(tx))) {
      this.dispatcher.takeStored();
      return true;
    }
    // That of a change which followed another one: it was not due yet when the first one woke this process.
    const dueMs = await nextReleaseMs(this.database);
    if (dueMs !== undefined) this.wake(Math.max(dueMs, RELEASE_DELAY_MS));
    return false;
  }
}
