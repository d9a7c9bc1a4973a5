import type Courier from '@trycourier/courier';
import type { SendingWorld } from './sending-world';

/** What is chosen of a topic. */
export interface Choice {
  /** Default: `OPTED_IN`, as every form of a choice must have one. */
  status?: 'OPTED_IN' | 'OPTED_OUT' | 'REQUIRED';
  /** The only channels that are wanted. */
  channels?: string[];
  /** A time of silence. */
  snooze?: { until: string; start?: string };
}

/** Where something is said about a topic, from what counts most to what counts least. */
export const PLACES = ['send', 'userInTenant', 'user', 'tenant', 'parent', 'subscription', 'list'] as const;
export type Place = (typeof PLACES)[number];
export type PreferenceSetup = { readonly [P in Place]?: Choice };

/** Somebody of whom things were said, and how to send to them: as a subscriber of `list`, or as themselves. */
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

/** A choice in the form of maps. */
export function details({ status = 'OPTED_IN', channels, snooze }: Choice): object {
  return {
    status,
    ...(channels && { channel_preferences: channels.map((channel) => ({ channel })) }),
    ...(snooze && { rules: [{ type: 'snooze', ...snooze }] }),
  };
}

/** A choice for one topic, of a user or as a default of a tenant. */
export function choiceOf({ status = 'OPTED_IN', channels }: Choice): TopicChoice {
  return { status, ...(channels && { has_custom_routing: true, custom_routing: channels as TopicChoice['custom_routing'] }) };
}

/** Says all of it, each in its place, about a topic, of a user, tenants and a list that no other story has to do with. */
export async function arrange(world: SendingWorld, topic: string, said: PreferenceSetup): Promise<Arranged> {
  const { sdk } = world;
  const [tenant, parent, list] = [world.name('tenant'), world.name('parent'), world.name('list')];
  const user = await world.user();
  const inMaps = (choice: Choice | undefined): Maps | undefined => choice && ({ categories: { [topic]: details(choice) } } as Maps);

  const hasTenant = [said.userInTenant, said.tenant, said.parent].some((choice) => choice !== undefined);
  if (hasTenant) {
    await sdk.tenants.update(parent, { name: `Name of ${parent}` });
    await sdk.tenants.update(tenant, { name: `Name of ${tenant}`, parent_tenant_id: parent });
  }
  for (const [tenant_id, choice] of [[tenant, said.tenant] as const, [parent, said.parent] as const]) {
    if (choice) await sdk.tenants.preferences.items.update(topic, { tenant_id, ...choiceOf(choice) });
  }
  for (const [tenant_id, choice] of [[undefined, said.user] as const, [tenant, said.userInTenant] as const]) {
    if (choice) await sdk.users.preferences.updateOrCreateTopic(topic, { user_id: user, tenant_id, topic: choiceOf(choice) });
  }
  const isOfList = said.list !== undefined || said.subscription !== undefined;
  if (isOfList) {
    await sdk.lists.update(list, { name: list, preferences: inMaps(said.list) });
    await sdk.lists.subscriptions.subscribeUser(user, { list_id: list, preferences: inMaps(said.subscription) });
  }
  const to = { ...(isOfList ? { list_id: list } : { user_id: user }), ...(said.send && { preferences: inMaps(said.send) }) };
  const message = { to, ...(hasTenant && { context: { tenant_id: tenant } }), preferences: { subscription_topic_id: topic } };
  return { user, tenant, parent, list, message, isOfList };
}
