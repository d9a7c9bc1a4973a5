import { waitUntil } from '@tidings/testing/wait-until';
import type { Messaging } from './start-messaging';

/** Renewals that show that renewing continues. */
export const RENEWALS = 2;

/** Resolves when the lease of the one row of a table was renewed once more. */
export async function leaseRenewed(messaging: Messaging, table: 'deliveries' | 'expansions' | 'open_messages'): Promise<void> {
  const leaseEnd = async (): Promise<Date | undefined> =>
    (await messaging.rows<{ due_at: Date }>(`select due_at from messaging.${table}`))[0]?.due_at;
  const before = await waitUntil(leaseEnd, { what: `a row in ${table}` });
  await waitUntil(async () => ((await leaseEnd()) ?? before) > before, { what: 'the lease to be renewed' });
}
