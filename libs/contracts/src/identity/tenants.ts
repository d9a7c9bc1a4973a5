import { ArrayUnique, IsIn } from 'class-validator';
import {
  AnyObject,
  IsListOf,
  Optional,
  OptionalListOf,
  OptionalNested,
  OptionalObject,
  OptionalOneOf,
  OptionalText,
  OptionalTextOf,
  Text,
  TextOf,
} from '../core/fields';
import { FieldsOfAnswer } from '../core/known-fields';
import { defineOperations } from '../core/operation';
import { LimitedQuery, ListPage } from '../core/paging';
import { ChosenChannels, type PreferenceStatus, TopicId, TopicStatus } from '../core/preferences';
import type { ProfileFields } from './profiles';

/** Short enough that one event has room for `TENANTS_PER_USER_MAX` ids. */
export const TENANT_ID_LENGTH_MAX = 256;
/** Id of the tenant, chosen by you. @example "acme" */
export const TenantId = TextOf(1, TENANT_ID_LENGTH_MAX);
export const OptionalTenantId = Optional(TenantId);
/** Maximum levels of tenants, root and leaf included. */
export const TENANT_LEVELS_MAX = 4;
/** Size of `properties`, and of `user_profile`, of one tenant, as JSON. */
export const TENANT_OBJECT_BYTES_MAX = 256 * 1024;
export const TENANT_DEFAULTS_MAX = 1_000;

export class NamedTenant {
  @TenantId tenant_id: string;
}

/** The default for a tenant's members without a choice of their own. */
export class DefaultPreference extends ChosenChannels {
  /** Whether members without a choice of their own get messages of the topic; with `REQUIRED` they cannot opt out. @example "OPTED_IN" */
  @TopicStatus status: PreferenceStatus;
}

export class DefaultPreferenceItem extends DefaultPreference {
  @TopicId id: string;

  /** Always `subscription_topic`, also if absent. @example "subscription_topic" */
  @OptionalOneOf(['subscription_topic']) type?: 'subscription_topic';
}

class DefaultPreferences {
  /** One entry for each topic; a topic named twice is refused. Absent, `null` or empty: no defaults. */
  @OptionalListOf(DefaultPreferenceItem, TENANT_DEFAULTS_MAX)
  @ArrayUnique(({ id }: DefaultPreferenceItem) => id, { message: '$property must not name a topic twice' })
  items?: DefaultPreferenceItem[] | null;
}

/** A tenant without its id and its parent. Absent or `null` fields are removed, except `default_preferences`: absent, they stay. */
export class TenantFields {
  /** Display name, for people. @example "Acme" */
  @TextOf(1, 512) name: string;

  /** Brand of messages in the context of the tenant, unless the send or the template names one. @example "acme" */
  @OptionalTextOf(1, 512) brand_id?: string | null;

  /** Any fields, at most 256 KB as JSON. Templates read them as `tenant.properties`. @example { "city": "Lyon" } */
  @OptionalObject properties?: Record<string, unknown> | null;

  /**
   * Profile fields that every member has unless the member's own profile has them; at most 256 KB as JSON.
   * @example { "locale": "fr_FR" }
   */
  @OptionalObject user_profile?: ProfileFields | null;

  /** Defaults for members without a choice of their own, by topic. In a PUT: absent, the stored ones stay; `null` removes them. */
  @OptionalNested(DefaultPreferences) default_preferences?: DefaultPreferences | null;
}

@FieldsOfAnswer(() => Tenant)
export class PutTenant extends TenantFields {
  @TenantId tenant_id: string;

  /** The tenant above this one, which must exist; at most 4 levels. Absent or `null`: a root. @example "acme-group" */
  @OptionalTenantId parent_tenant_id?: string | null;
}

export class Tenant extends TenantFields {
  /** Id of the tenant, chosen by you. @example "acme" */
  @Text id: string;

  /** Always `tenant`. */
  @IsIn(['tenant']) type: 'tenant';

  /** The tenant above this one; absent for a root. @example "acme-group" */
  @OptionalText parent_tenant_id?: string | null;
}

export class ListTenants extends LimitedQuery {
  /** Only the tenants directly below this one. @example "acme-group" */
  @OptionalTenantId parent_tenant_id?: string;
}

class TenantPage extends ListPage {
  /** The tenants of this page, by id. */
  @IsListOf(Tenant) items: Tenant[];
}

export class ListTenantUsers extends LimitedQuery {
  @TenantId tenant_id: string;
}

/** A user in a tenant. */
export class TenantAssociation {
  /** Id of the tenant, which need not exist. @example "acme" */
  @Text tenant_id: string;

  /** Id of the user. @example "ada" */
  @Text user_id: string;

  /**
   * The profile of the user in this tenant alone; sends in the context of the tenant merge it over the user's own.
   * @example { "title": "Engineer" }
   */
  @AnyObject profile: ProfileFields;

  /** Always `user`. */
  @IsIn(['user']) type: 'user';
}

export class TenantAssociationPage extends ListPage {
  /** The memberships of this page: of a tenant by user id, of a user by tenant id. */
  @IsListOf(TenantAssociation) items: TenantAssociation[];
}

export class NamedTenantDefault extends NamedTenant {
  @TopicId topic_id: string;
}

@FieldsOfAnswer(() => DefaultPreferenceItem)
export class PutTenantDefault extends DefaultPreference {
  @TenantId tenant_id: string;

  @TopicId topic_id: string;
}

export const tenants = defineOperations('identity.tenants', 'tenants', {
  /** All tenants of the workspace, or with `parent_tenant_id` those directly below one. */
  list: {
    route: 'GET /tenants',
    summary: 'List tenants, by id',
    request: ListTenants,
    response: TenantPage,
  },
  /** Answers 404 for a tenant that does not exist, even if users are associated with its id. */
  retrieve: {
    route: 'GET /tenants/:tenant_id',
    summary: 'Get a tenant',
    request: NamedTenant,
    response: Tenant,
  },
  /**
   * Fields that are left out are removed, except `default_preferences`, which then stay. A parent must exist, so create from the root down;
   * a cycle, or a fifth level, is refused.
   * @example { "name": "Acme", "properties": { "city": "Lyon" } }
   */
  replace: {
    audit: 'tenant:replaced',
    command: true,
    route: 'PUT /tenants/:tenant_id',
    summary: 'Replace a tenant, or create it',
    request: PutTenant,
    response: Tenant,
  },
  /**
   * Associations of users with the id stay and have no effect on sends until a tenant with the id is created again. Answers 409 while it
   * has tenants below it.
   */
  remove: {
    audit: 'tenant:deleted',
    command: true,
    route: 'DELETE /tenants/:tenant_id',
    summary: 'Delete a tenant; one with children is refused, and its members stay associated with the id',
    request: NamedTenant,
    mayConflict: true,
  },
  /** Answers 404 while the tenant does not exist. */
  users: {
    route: 'GET /tenants/:tenant_id/users',
    summary: 'List the members of a tenant, by id',
    request: ListTenantUsers,
    response: TenantAssociationPage,
  },
  /** Answers 404 if the tenant or the topic does not exist. @example { "status": "OPTED_IN", "custom_routing": ["email"] } */
  replaceDefault: {
    audit: 'tenant:defaults-changed',
    command: true,
    route: 'PUT /tenants/:tenant_id/default_preferences/items/:topic_id',
    summary: "Set a tenant's default for a topic",
    request: PutTenantDefault,
  },
  /** The default of the tenant above applies again, or that of the topic. Answers 404 if there is no such default. */
  removeDefault: {
    audit: 'tenant:defaults-changed',
    command: true,
    route: 'DELETE /tenants/:tenant_id/default_preferences/items/:topic_id',
    summary: "Remove a tenant's default for a topic",
    request: NamedTenantDefault,
  },
});
