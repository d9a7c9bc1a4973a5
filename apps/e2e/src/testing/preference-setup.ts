import type Courier from '@trycourier/courier';
import type { SendingFixture } from './sending-fixture';

/** A preference for a topic. */
export interface Choice {
  /** Default: `OPTED_IN`, since every form of a preference requires a status. */
  status?: 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED';
  /** The only allowed channels. */
  channels?: string[];
  /** Period without messages. */
  snooze?: { until: string; start?: string };
}

/** Levels at which a preference is set, from the highest precedence to the lowest. */
export const PREFERENCE_LEVELS = ['send', 'userInTenant', 'user', 'tenant', 'parent', 'subscription', 'list'] as const;
export type PreferenceLevel = (typeof PREFERENCE_LEVELS)[number];
export type PreferenceSetup = { readonly [Level in PreferenceLevel]?: Choice };

/** A recipient with preferences, and the message that reaches them: as a subscriber of `list`, or directly. */
export interface Arranged {
  readonly user: string;
  readonly tenant: string;
  readonly parent: string;
  readonly list: string;
  /** `to`, `context` and `preferences` of a send. */
  readonly message: object;
  readonly isOfList: boolean;
}

type TopicChoice = Courier.Users.Preferences.PreferenceUpdateOrCreateTopicParams['topic'];
type Maps = Courier.RecipientPreferences;

/** A preference in the form of maps. */
export function details({ status = 'OPTED_IN', channels, snooze }: Choice): object {
  return {
    status,
    ...(channels && { channel_preferences: channels.map((channel) => ({ channel })) }),
    ...(snooze && { rules: [{ type: 'snooze', ...snooze }] }),
  };
}

/** A preference for one topic, of a user or as a tenant's default. */
export function choiceOf({ status = 'OPTED_IN', channels }: Choice): TopicChoice {
  return { status, ...(channels && { has_custom_routing: true, custom_routing: channels as TopicChoice['custom_routing'] }) };
}

/** Stores each preference at its level, for a new user, new tenants and a new list. */
export async function arrange(fixture: SendingFixture, topic: string, setup: PreferenceSetup): Promise<Arranged> {
  const { sdk } = fixture;
  const [tenant, parent, list] = [fixture.name('tenant'), fixture.name('parent'), fixture.name('list')];
  const user = await fixture.user();
  const inMaps = (choice: Choice | undefined): Maps | undefined => choice && ({ categories: { [topic]: details(choice) } } as Maps);

  const hasTenant = [setup.userInTenant, setup.tenant, setup.parent].some((choice) => choice !== undefined);
  if (hasTenant) {
    await sdk.tenants.update(parent, { name: `Name of ${parent}` });
    await sdk.tenants.update(tenant, { name: `Name of ${tenant}`, parent_tenant_id: parent });
  }
  for (const [tenant_id, choice] of [[tenant, setup.tenant] as const, [parent, setup.parent] as const]) {
    if (choice) await sdk.tenants.preferences.items.update(topic, { tenant_id, ...choiceOf(choice) });
  }
  for (const [tenant_id, choice] of [[undefined, setup.user] as const, [tenant, setup.userInTenant] as const]) {
    if (choice) await sdk.users.preferences.updateOrCreateTopic(topic, { user_id: user, tenant_id, topic: choiceOf(choice) });
  }
  const isOfList = setup.list !== undefined || setup.subscription !== undefined;
  if (isOfList) {
    await sdk.lists.update(list, { name: list, preferences: inMaps(setup.list) });
    await sdk.lists.subscriptions.subscribeUser(user, { list_id: list, preferences: inMaps(setup.subscription) });
  }
  const to = { ...(isOfList ? { list_id: list } : { user_id: user }), ...(setup.send && { preferences: inMaps(setup.send) }) };
  const message = { to, ...(hasTenant && { context: { tenant_id: tenant } }), preferences: { subscription_topic_id: topic } };
  return { user, tenant, parent, list, message, isOfList };
}
