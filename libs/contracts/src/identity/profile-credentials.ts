import { isJsonObject } from '../core/deep-merge';
import { isGiven } from '../core/refusals';
import { type ChangeSecret, HIDDEN } from '../core/secret-values';
import type { ProfileFields } from './profiles';

/** Fields of a profile with the address of a user at a service and the credentials for it. */
export const SERVICES = ['webhook', 'slack', 'ms_teams', 'discord', 'pagerduty'] as const;
/** Names of credentials in those fields, at any depth. */
const CREDENTIALS: ReadonlySet<string> = new Set([
  'access_token',
  'bot_access_token',
  'refresh_token',
  'token',
  'password',
  'secret',
  'client_secret',
  'api_key',
  'routing_key',
]);
/** Every value in these is a credential: headers may be, and the URL of an incoming webhook allows posting to it. */
const CREDENTIAL_OBJECTS: ReadonlySet<string> = new Set(['headers', 'incoming_webhook']);
/** Credentials by their paths: the URL of a webhook allows posting to it. */
const CREDENTIAL_PATHS: ReadonlySet<string> = new Set(['webhook.url']);
/**
 * The profile with `change` applied to each credential in it; the same object where it has no field of a service. What becomes
 * undefined is left out. Also for a part of a profile. This file has the one list of the credentials of profiles.
 */
export function changeCredentials<Profile extends object>(profile: Profile, change: ChangeSecret): Profile {
  const services = SERVICES.filter((name) => isJsonObject((profile as ProfileFields)[name]));
  if (services.length === 0) return profile;
  const changed = services.map((name) => [name, inObject((profile as ProfileFields)[name] as ProfileFields, name, change)]);
  return { ...profile, ...Object.fromEntries(changed) } as Profile;
}

/** Whether the profile has a credential. */
export function hasCredentials(profile: object): boolean {
  let has = false;
  changeCredentials(profile, (value) => {
    has = true;
    return value;
  });
  return has;
}

/** The profile for answers, conditions and content: credentials are hidden, their names shown. */
export function withHiddenCredentials<Profile extends object>(profile: Profile): Profile {
  return changeCredentials(profile, () => HIDDEN);
}

/** The profile without its credentials. */
export function withoutCredentials<Profile extends object>(profile: Profile): Profile {
  return changeCredentials(profile, () => undefined);
}

function inObject(object: ProfileFields, path: string, change: ChangeSecret): ProfileFields {
  return changeEach(object, (name, value) => inField(name, value, `${path}.${name}`, change));
}

function inField(name: string, value: unknown, path: string, change: ChangeSecret): unknown {
  if (!isGiven(value)) return value;
  if (CREDENTIALS.has(name) || CREDENTIAL_PATHS.has(path)) return change(value, path);
  if (!CREDENTIAL_OBJECTS.has(name)) return inValue(value, path, change);
  if (!isJsonObject(value)) return change(value, path);
  return changeEach(value, (key, one) => (isGiven(one) ? change(one, `${path}.${key}`) : one));
}

function inValue(value: unknown, path: string, change: ChangeSecret): unknown {
  if (Array.isArray(value)) return value.map((one, index) => inValue(one, `${path}[${index}]`, change));
  return isJsonObject(value) ? inObject(value, path, change) : value;
}

function changeEach(object: ProfileFields, change: (name: string, value: unknown) => unknown): ProfileFields {
  const changed = Object.entries(object).map(([name, value]) => [name, change(name, value)] as const);
  return Object.fromEntries(changed.filter(([, value]) => value !== undefined));
}
