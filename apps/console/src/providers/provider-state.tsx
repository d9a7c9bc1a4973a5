import type { ProviderHealth } from '../api/types';
import { providers as words } from '../screen-texts/providers';
import { Badge, Status } from '../ui/status';
import { Time } from '../ui/time';

/** Whether messages are sent with it: active, disabled, paused, or not called for a while. */
export function ProviderState({ provider }: { provider: ProviderHealth }) {
  const { state, breaker, open_until: until } = provider;
  if (state !== 'active') return <Status value={state} />;
  if (breaker === 'open')
    return (
      <>
        <Badge tone="bad" hint={words.breakerHint}>
          {words.breakers.open}
        </Badge>{' '}
        {until && (
          <span>
            {words.until} <Time at={until} />
          </span>
        )}
      </>
    );
  if (breaker === 'half-open')
    return (
      <Badge tone="pending" hint={words.breakerHint}>
        {words.breakers['half-open']}
      </Badge>
    );
  return <Status value={state} />;
}
