import type { LoadedTemplate } from '@tidings/contracts/content/sending';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { ProviderConfiguration } from '../providers/provider-configurations';
import { decide, type Decision } from './decide';
import type { RoutingContext } from './routing-context';

/** Monday noon, UTC. */
export const TS = Date.UTC(2026, 0, 5, 12);
export const HOUR_MS = 3_600_000;
const CONTENT = { title: 'Hello', body: 'World' };

const integration = (channel: string, field: string): ProviderConfiguration =>
  ({
    id: `p-${channel}`,
    provider: channel,
    channel,
    needs: ({ profile }: { profile: Record<string, unknown> }) => profile[field],
  }) as never;
const INTEGRATIONS = [integration('email', 'email'), integration('sms', 'phone_number')];
export const PROFILE = { email: 'ada@example.com', phone_number: '+4915123456789' };

/** A send to Ada by e-mail and SMS. */
export const sendRequest = (fields: Partial<MessageRequested> = {}): MessageRequested => ({
  workspaceId: 'w',
  id: 'm',
  recipient: 'ada',
  userId: 'ada',
  requestedAt: TS,
  mode: 'production',
  profile: PROFILE,
  content: CONTENT,
  routing: { method: 'all', channels: ['email', 'sms'] },
  data: {},
  event: '',
  tags: [],
  ...fields,
});
/** A published template without settings of its own. */
export const template = (fields: Partial<LoadedTemplate> = {}): LoadedTemplate =>
  ({
    notification_id: 't',
    content: CONTENT,
    published: true,
    channels: {},
    providers: {},
    routing: null,
    topic_id: null,
    tags: [],
    ...fields,
  }) as never;
/** The decision about a request, in a workspace with one provider for e-mail and one for SMS. */
export const decided = (
  request: MessageRequested,
  context: Partial<RoutingContext> = {},
  at: Partial<Parameters<typeof decide>[2]> = {},
): Decision => decide(request, { integrations: INTEGRATIONS, ...context }, { isDue: false, isStored: false, ts: TS, ...at });
/** The kind of the verdict; of an end its status, reason and rule. */
export const outcome = ({ verdict, events }: Decision): unknown => {
  if (verdict.kind !== 'ended') return verdict.kind;
  const { status, reason } = verdict;
  return [status, reason, (events.at(-1) as { rule?: string }).rule].filter((one) => one !== undefined).join(' · ');
};
export const typesOf = ({ events }: Decision): string[] => events.map(({ type }) => type);
