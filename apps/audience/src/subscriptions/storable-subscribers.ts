import type { Subscriber } from '@tidings/contracts/audience/subscriptions';
import { storablePreferenceMaps } from '@tidings/contracts/core/preference-maps';
import type { StorableSubscribers } from './subscription.rows';

/**
 * Subscribers as they are stored, sorted by id; of duplicates the last one counts.
 * @throws ServiceError `invalid_request` naming the value that cannot be stored or is too large.
 */
export function storableSubscribers(recipients: readonly Subscriber[]): StorableSubscribers {
  const stored = new Map<string, string | null>();
  recipients.forEach(({ recipientId, preferences, ...rest }, index) => {
    rest satisfies Record<string, never>;
    stored.set(recipientId, preferences ? storablePreferenceMaps(`recipients[${index}].preferences`, preferences) : null);
  });
  return [...stored].sort(([one], [other]) => (one < other ? -1 : 1));
}
