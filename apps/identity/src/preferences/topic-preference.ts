import type { ChannelClass } from '@tidings/contracts/core/channels';
import type { CustomRouting, RecipientPreferences } from '@tidings/contracts/core/preferences';
import type { TopicPreference } from '@tidings/contracts/identity/user-preferences';
import type { PreferenceInput } from '@tidings/preferences/input';
import { effectivePreference, type EffectivePreference } from '@tidings/preferences/layers';
import { layersOf } from '@tidings/preferences/layers-of';
import type { LoadedTopic, StoredChoice, TenantDefault } from '@tidings/contracts/identity/recipients';

/** Who is asked about, and where. */
interface Asked {
  userId: string;
  /** Absent for what counts everywhere. */
  tenantId: string | undefined;
}

/** What was said about one topic. */
interface SaidOfTopic {
  /** Those made in other tenants are passed over. */
  choices: readonly StoredChoice[];
  map: RecipientPreferences | null;
  /** Nearest tenant first. */
  tenantDefaults: readonly TenantDefault[];
}

/** What counts for a user, by the layers that decide a send: what is shown is what happens, but for snoozes, which end. */
export function toTopicPreference(topic: LoadedTopic, asked: Asked, said: SaidOfTopic): TopicPreference {
  const defaults = defaultsOf(topic, asked, said.tenantDefaults);
  const choiceInTenant = said.choices.find(({ tenant_id }) => tenant_id !== null && tenant_id === asked.tenantId);
  const choice = said.choices.find(({ tenant_id }) => tenant_id === null);
  const effective = effectiveOf({ ...defaults, choiceInTenant, choice, recipient: said.map });
  return {
    topic_id: topic.topic_id,
    topic_name: topic.name,
    status: shownStatus(effective),
    default_status: shownStatus(effectiveOf(defaults)),
    has_custom_routing: effective.channels !== undefined,
    custom_routing: asSaid(effective.channels?.value ?? [], [choiceInTenant, choice, ...said.tenantDefaults]),
    section_id: topic.section_id,
    section_name: topic.section_name,
  };
}

/** Whether a default, of the topic or of a tenant, allows no opting out. */
export function isRequired(topic: LoadedTopic, asked: Asked, tenantDefaults: readonly TenantDefault[]): boolean {
  return effectiveOf(defaultsOf(topic, asked, tenantDefaults)).required;
}

/** The channels in the order in which they were said: they are a set, but who stored them looks for what he stored. */
function asSaid(channels: readonly ChannelClass[], sources: readonly (CustomRouting | undefined)[]): ChannelClass[] {
  const lists = sources.map((source) => source?.custom_routing ?? []);
  return [...(lists.find((list) => list.length === channels.length && list.every((one) => channels.includes(one))) ?? channels)];
}

function effectiveOf(input: PreferenceInput): EffectivePreference {
  return effectivePreference(layersOf(input));
}

/** Of anybody but a topic or a tenant `REQUIRED` is an opt-in. */
function shownStatus({ required, status }: EffectivePreference): TopicPreference['status'] {
  if (required) return 'REQUIRED';
  return status?.value === 'OPTED_OUT' ? 'OPTED_OUT' : 'OPTED_IN';
}

function defaultsOf(topic: LoadedTopic, { userId, tenantId }: Asked, tenantDefaults: readonly TenantDefault[]): PreferenceInput {
  return {
    now: 0, // snoozes are not asked about
    topic: { id: topic.topic_id, name: topic.name, categoryId: topic.section_id, defaultStatus: topic.default_status },
    userId,
    tenant: tenantId === undefined ? null : { id: tenantId },
    tenantDefaults: tenantDefaults.map(({ tenant_id, ...said }) => ({ tenant: { id: tenant_id }, ...said })),
  };
}
