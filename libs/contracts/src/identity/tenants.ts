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
import { defineOperations } from '../core/operation';
import { LimitedQuery, ListPage } from '../core/paging';
import { ChosenChannels, type PreferenceStatus, TopicId, TopicStatus } from '../core/preferences';
import type { ProfileFields } from './profiles';

/** Short enough that one event has room for `TENANTS_PER_USER_MAX` ids. */
export const TENANT_ID_LENGTH_MAX = 256;
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
  @TopicStatus status: PreferenceStatus;
}

export class DefaultPreferenceItem extends DefaultPreference {
  /** Id of the topic. */
  @TopicId id: string;

  @OptionalOneOf(['subscription_topic']) type?: 'subscription_topic';
}

class DefaultPreferences {
  @OptionalListOf(DefaultPreferenceItem, TENANT_DEFAULTS_MAX)
  @ArrayUnique(({ id }: DefaultPreferenceItem) => id, { message: '$property must not name a topic twice' })
  items?: DefaultPreferenceItem[] | null;
}

/** A tenant without its id and its parent. Absent or `null` fields are removed, except `default_preferences`: absent, they stay. */
export class TenantFields {
  @TextOf(1, 512) name: string;

  @OptionalTextOf(1, 512) brand_id?: string | null;

  /** For templates: `tenant.properties`. */
  @OptionalObject properties?: Record<string, unknown> | null;

  /** Base of every member's profile. */
  @OptionalObject user_profile?: ProfileFields | null;

  @OptionalNested(DefaultPreferences) default_preferences?: DefaultPreferences | null;
}

export class PutTenant extends TenantFields {
  @TenantId tenant_id: string;

  @OptionalTenantId parent_tenant_id?: string | null;
}

export class Tenant extends TenantFields {
  @Text id: string;

  @IsIn(['tenant']) type: 'tenant';

  @OptionalText parent_tenant_id?: string | null;
}

export class ListTenants extends LimitedQuery {
  /** Only the children of this tenant. */
  @OptionalTenantId parent_tenant_id?: string;
}

class TenantPage extends ListPage {
  @IsListOf(Tenant) items: Tenant[];
}

export class ListTenantUsers extends LimitedQuery {
  @TenantId tenant_id: string;
}

/** A user in a tenant. */
export class TenantAssociation {
  @Text tenant_id: string;

  @Text user_id: string;

  /** The user's profile in this tenant alone. */
  @AnyObject profile: ProfileFields;

  @IsIn(['user']) type: 'user';
}

export class TenantAssociationPage extends ListPage {
  @IsListOf(TenantAssociation) items: TenantAssociation[];
}

export class NamedTenantDefault extends NamedTenant {
  @TopicId topic_id: string;
}

export class PutTenantDefault extends DefaultPreference {
  @TenantId tenant_id: string;

  @TopicId topic_id: string;
}

export const tenants = defineOperations('identity.tenants', 'tenants', {
  list: {
    route: 'GET /tenants',
    summary: 'List tenants, by id',
    request: ListTenants,
    response: TenantPage,
  },
  retrieve: {
    route: 'GET /tenants/:tenant_id',
    summary: 'Get a tenant',
    request: NamedTenant,
    response: Tenant,
  },
  replace: {
    command: true,
    route: 'PUT /tenants/:tenant_id',
    summary: 'Replace a tenant, or create it',
    request: PutTenant,
    response: Tenant,
  },
  remove: {
    command: true,
    route: 'DELETE /tenants/:tenant_id',
    summary: 'Delete a tenant; one with children is refused, and its members stay associated with the id',
    request: NamedTenant,
    mayConflict: true,
  },
  users: {
    route: 'GET /tenants/:tenant_id/users',
    summary: 'List the members of a tenant, by id',
    request: ListTenantUsers,
    response: TenantAssociationPage,
  },
  replaceDefault: {
    command: true,
    route: 'PUT /tenants/:tenant_id/default_preferences/items/:topic_id',
    summary: "Set a tenant's default for a topic",
    request: PutTenantDefault,
  },
  removeDefault: {
    command: true,
    route: 'DELETE /tenants/:tenant_id/default_preferences/items/:topic_id',
    summary: "Remove a tenant's default for a topic",
    request: NamedTenantDefault,
  },
});
