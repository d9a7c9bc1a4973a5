import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { CustomRouting, RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { TopicPreference } from '@tidings/contracts/identity/user-preferences';
import type { PreferenceInput } from '@tidings/preferences/input';
import { effectivePreference, type EffectivePreference } from '@tidings/preferences/layers';
import type { LoadedTopic, StoredChoice, TenantDefault } from '@tidings/contracts/identity/recipients';

/** A user, and the tenant in which preferences count. */
export interface PreferenceScope {
  userId: string;
  /** Absent for preferences that count everywhere. */
  tenantId: string | undefined;
}

/** A user of a workspace, and the tenant in which the choices count. */
export interface ChoiceContext extends PreferenceScope {
  workspaceId: string;
}

/** A choice as it is stored. */
export type TopicAndChoice = Omit<StoredChoice, 'tenant_id'>;

/** The stored preferences for one topic. */
interface TopicSources {
  /** Choices made in other tenants are ignored. */
  choices: readonly StoredChoice[];
  map: RecipientPreferences | null;
  /** Nearest tenant first. */
  tenantDefaults: readonly TenantDefault[];
}

/** The preference that counts for a user, by the layers that decide a send; without snoozes, which end. */
export function toTopicPreference(topic: LoadedTopic, scope: PreferenceScope, sources: TopicSources): TopicPreference {
  const defaults = defaultsOf(topic, scope, sources.tenantDefaults);
  const choiceInTenant = sources.choices.find(({ tenant_id }) => tenant_id !== null && tenant_id === scope.tenantId);
  const choice = sources.choices.find(({ tenant_id }) => tenant_id === null);
  const effective = effectivePreference({ ...defaults, choiceInTenant, choice, recipient: sources.map });
  return {
    topic_id: topic.topic_id,
    topic_name: topic.name,
    status: shownStatus(effective),
    default_status: shownStatus(effectivePreference(defaults)),
    has_custom_routing: effective.channelsFrom !== undefined,
    custom_routing: inStoredOrder(effective.channelsFrom?.channels ?? [], [choiceInTenant, choice, ...sources.tenantDefaults]),
    section_id: topic.section_id,
    section_name: topic.section_name,
  };
}

/** Whether a default, of the topic or of a tenant, forbids opting out. */
export function isRequired(topic: LoadedTopic, scope: PreferenceScope, tenantDefaults: readonly TenantDefault[]) {
  return effectivePreference(defaultsOf(topic, scope, tenantDefaults)).required;
}

/** The channels in the order in which they were stored: they are a set, but clients expect what they sent. */
function inStoredOrder(channels: readonly ChannelClass[], sources: readonly (CustomRouting | undefined)[]) {
  const lists = sources.map((source) => source?.custom_routing ?? []);
  return [...(lists.find((list) => list.length === channels.length && list.every((one) => channels.includes(one))) ?? channels)];
}

/** `REQUIRED` from another source than a topic or a tenant is an opt-in. */
function shownStatus({ required, statusFrom }: EffectivePreference) {
  if (required) return 'REQUIRED';
  return statusFrom?.status === 'OPTED_OUT' ? 'OPTED_OUT' : 'OPTED_IN';
}

function defaultsOf(topic: LoadedTopic, { userId, tenantId }: PreferenceScope, tenantDefaults: readonly TenantDefault[]): PreferenceInput {
  return {
    now: 0, // snoozes are not evaluated here
    topic: { id: topic.topic_id, name: topic.name, categoryId: topic.section_id, defaultStatus: topic.default_status },
    userId,
    tenant: tenantId === undefined ? null : { id: tenantId },
    tenantDefaults: tenantDefaults.map(({ tenant_id, ...choice }) => ({ tenant: { id: tenant_id }, ...choice })),
  };
}
