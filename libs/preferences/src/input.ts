import type { CustomRouting, PreferenceStatus, RecipientPreferences } from '@tidings/contracts/core/preferences';

/** An entity with an id and an optional name; where set, the name is shown to people. */
export interface Named {
  id: string;
  name?: string | null;
}

/** The topic of a message. */
interface MessageTopic extends Named {
  /** The section of the topic, which the map form may name instead of the topic. */
  categoryId?: string | null;
  /** Absent where the workspace does not have the topic: then there is no default. */
  defaultStatus?: PreferenceStatus | null;
}

/** The choice of a user, or the default of a tenant, for the topic of the message. */
export interface TopicChoice extends CustomRouting {
  status?: PreferenceStatus | null;
}

/** A tenant's default for the topic of the message. */
interface TenantDefault extends TopicChoice {
  tenant: Named;
}

/**
 * All preferences that concern one message to one recipient; unset ones are absent or null. The map forms are the JSON of clients:
 * unknown or invalid parts count as absent.
 */
export interface PreferenceInput {
  /** Milliseconds since 1970; decides which snoozes are active. */
  now: number;
  /** The template; absent for inline content. */
  notificationId?: string | null;
  /** Its alias, under which the map forms may have an entry too. */
  notificationAlias?: string | null;
  /** Without a topic only the map forms' entries for the notification apply. */
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
  /** The list that the message is sent to, if any. */
  list?: (Named & { preferences?: RecipientPreferences | null }) | null;
  /** The preferences of the user's subscription to that list. */
  subscription?: RecipientPreferences | null;
}
