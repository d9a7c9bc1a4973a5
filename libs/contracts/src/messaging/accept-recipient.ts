import { assertListId, assertListPattern } from '../audience/list-ids';
import { storablePreferenceMaps } from '../core/preference-maps';
import type { RecipientPreferences } from '../core/preferences';
import { PROFILE_BYTES_MAX, type ProfileFields } from '../identity/profiles';
import { addressId, hasAddress } from './address-id';
import type { Recipient } from './recipient';
import type { Target, TargetFields, UserTarget } from './targets';
import { assertAtMost, invalid, isGiven } from '../core/refusals';

/** The fields that name a kind of recipient; a user has none of them. */
const KIND_FIELDS = ['list_id', 'list_pattern', 'audience_id'] as const;

/**
 * The target of a recipient.
 * @param recipient fits `Recipient`; undeclared fields are profile data.
 * @param path its name in errors: `message.to[3]`.
 * @throws ServiceError `invalid_request` for no kind or several, and for fields that its kind does not support.
 */
export function acceptRecipient(recipient: Recipient, path: string): Target {
  const { data, preferences, filters, include_children: includeChildren, context, ...rest } = recipient;
  const fields = targetFields({ data, preferences }, `${path}.preferences`);
  const kind = kindOf(recipient, path);
  const tenantId = recipient.tenant_id ?? recipient.account_id;
  const contextId = context?.tenant_id ?? tenantId;
  if (includeChildren && kind !== 'tenant')
    throw invalid(`${path}.include_children is for tenants alone: send tenant_id without another recipient`);

  if (filters?.length && (kind === 'tenant' || kind === 'user')) throw invalid(`${path}.filters is for lists, patterns and audiences`);
  if (kind === 'tenant') {
    if (contextId !== tenantId) {
      throw invalid(
        `${path} names the tenant ${tenantId}, whose members get their messages in its own context, and another one in context.tenant_id`,
      );
    }
    return { kind, tenantId: tenantId!, includeChildren: includeChildren ?? false, ...fields };
  }
  const inContext = contextId && { tenantId: contextId };
  if (kind === 'user') {
    const {
      user_id: userId,
      tenant_id: _tenant,
      account_id: _account,
      list_id: _list,
      list_pattern: _pattern,
      audience_id: _audience,
      ...profile
    } = rest;
    return Object.assign(acceptUser(userId ?? undefined, profile, path), fields, inContext);
  }
  return {
    ...acceptGroup(kind, recipient[kind]!, `${path}.${kind}`),
    ...fields,
    ...inContext,
    ...(filters?.length && { filters: filters.map(({ operator, path: field, value }) => ({ operator, path: field, value })) }),
  };
}

/** A user, or without `userId` an address. `profile` fits `InlineAddresses`. @throws ServiceError `invalid_request` naming the field. */
export function acceptUser(userId: string | undefined, profile: ProfileFields, path: string): UserTarget {
  const bytes = Object.keys(profile).length === 0 ? 0 : Buffer.byteLength(JSON.stringify(profile));
  assertAtMost(PROFILE_BYTES_MAX, bytes, path, 'bytes of profile fields');
  if (userId !== undefined) return { kind: 'user', userId, recipient: userId, profile };
  const recipient = addressId(profile, path);
  if (recipient === undefined) throw invalid(`${path} needs user_id or an address`);
  return { kind: 'user', recipient, profile };
}

/** A list, a pattern of lists or an audience, by the field that names it; `path` is that field's. */
export function acceptGroup(kind: (typeof KIND_FIELDS)[number], id: string, path: string): Exclude<Target, { kind: 'user' | 'tenant' }> {
  switch (kind) {
    case 'list_id':
      assertListId(id, path);
      return { kind: 'list', listId: id };
    case 'list_pattern':
      assertListPattern(id, path);
      return { kind: 'pattern', pattern: id };
    case 'audience_id':
      return { kind: 'audience', audienceId: id };
  }
}

/** The fields of a single target, absent ones omitted. `path` names the preferences in errors. */
export function targetFields(
  { data, preferences }: { data?: Record<string, unknown> | null; preferences?: RecipientPreferences | null },
  path: string,
): Pick<TargetFields, 'data' | 'preferences'> {
  return { ...(data && { data }), ...(preferences && { preferences: acceptPreferences(preferences, path) }) };
}

/** Whether a recipient is a user or an address; other kinds have no profile. */
export function namesUser(recipient: { readonly user_id?: unknown }): boolean {
  return isGiven(recipient.user_id) || hasAddress(recipient);
}

function kindOf(recipient: Recipient, path: string) {
  const isUser = namesUser(recipient);
  const kinds = KIND_FIELDS.filter((field) => isGiven(recipient[field]));
  const [kind] = kinds;
  if (kinds.length > 1 || (kind && isUser)) {
    const named = [...(isUser ? ['a user'] : []), ...kinds].join(' and ');
    throw invalid(`${path} names ${named}: a recipient is one of them, several recipients are an array`);
  }
  if (kind) return kind;
  if (isUser) return 'user';
  if (isGiven(recipient.tenant_id ?? recipient.account_id)) return 'tenant';
  throw invalid(`${path} needs user_id, an address (email, phone_number, slack …), list_id, list_pattern, audience_id or tenant_id`);
}

function acceptPreferences(preferences: RecipientPreferences, path: string) {
  storablePreferenceMaps(path, preferences);
  const { notifications, categories } = preferences;
  return { ...(notifications && { notifications }), ...(categories && { categories }) };
}
