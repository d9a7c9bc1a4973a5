import type { Webhook } from '../api/types';
import { webhooks as words } from '../screen-texts/webhooks';
import { Badge } from '../ui/status';

const TONES = { active: 'good', paused: 'pending', disabled: 'bad' } as const;

/** Whether events are posted to it. */
export function WebhookState({ webhook: { state } }: { webhook: Webhook }) {
  return (
    <Badge tone={TONES[state]} hint={words.stateHints[state]}>
      {words.states[state]}
    </Badge>
  );
}
