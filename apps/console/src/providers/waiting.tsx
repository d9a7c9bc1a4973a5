import { Link } from '@tanstack/react-router';
import type { ProviderHealth } from '../api/types';
import { count } from '../format';
import { providers as words } from '../screen-texts/providers';

/** Deliveries are counted up to here. */
const COUNTED_MAX = 1_000;
/** The statuses of messages that may wait for a provider. */
const WAITING = 'ENQUEUED,ROUTED,SENT';

const bounded = (value: number) => (value >= COUNTED_MAX ? `${count(COUNTED_MAX)}+` : count(value));

/** What waits for a provider or is in progress, and how many of it have failed before; leads to the messages. */
export function Waiting({ provider: { id, waiting, retried } }: { provider: ProviderHealth }) {
  if (waiting === 0) return '0';
  return (
    <Link to="/messages" search={{ provider: id, status: WAITING }}>
      {bounded(waiting)}
      {retried > 0 && ` (${words.retried(bounded(retried))})`}
    </Link>
  );
}
