import type { CustomRouting, PreferenceStatus, RecipientPreferences } from '@tidings/contracts/core/preferences';

/** Something with an id that a person may know by a name; the name, where there is one, is what people are shown. */
export interface Named {
  id: string;
  name?: string | null;
}

/** What a message is about. */
interface MessageTopic extends Named {
  /** The section the topic stands in, which the map form may name instead of the topic. */
  categoryId?: string | null;
  /** Absent where the message names a topic that the workspace does not have: then there is no default. */
  defaultStatus?: PreferenceStatus | null;
}

/** What a user, or a tenant as its default, said about the topic of the message. */
export interface TopicChoice extends CustomRouting {
  status?: PreferenceStatus | null;
}

/** A tenant's default for the topic of the message. */
interface TenantDefault extends TopicChoice {
  tenant: Named;
}

/**
 * Everything that was said anywhere about one message to one recipient. What nobody said is absent or null. The map forms are
 * taken as clients sent them: whatever in them is not understood counts as not said.
 */
export interface PreferenceInput {
  /** Milliseconds since 1970: which snoozes are on. */
  now: number;
  /** The template; absent for inline content. */
  notificationId?: string | null;
  /** Without a topic only what the map forms say about the notification can apply. */
  topic?: MessageTopic | null;
  /** Without a user (a bare address) only `send` applies. */
  userId?: string | null;
  /** The tenant context; without one `choiceInTenant` and `tenantDefaults` do not count. */
  tenant?: Named | null;
  /** `to.preferences`: given with this send. */
  send?: RecipientPreferences | null;
  /** The user's choice for the topic in this tenant. */
  choiceInTenant?: TopicChoice | null;
  /** The user's choice for the topic, whatever the tenant. */
  choice?: TopicChoice | null;
  /** The user's preferences in the map form. */
  recipient?: RecipientPreferences | null;
  /** For the topic, of the tenant first, then its parent, up to the root. */
  tenantDefaults?: readonly TenantDefault[] | null;
  /** The list the message goes to, if it goes to one. */
  list?: (Named & { preferences?: RecipientPreferences | null }) | null;
  /** What the user's subscription to that list says. */
  subscription?: RecipientPreferences | null;
}
