import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { HIDDEN } from '@tidings/contracts/messaging/override-secrets';

/** Fields of a profile with the address of a user at a service and the credentials for it. */
const SERVICES = ['webhook', 'slack', 'ms_teams', 'discord', 'pagerduty'];
/** Names of credentials in those fields. */
const CREDENTIALS = new Set(['access_token', 'bot_access_token', 'refresh_token', 'token', 'password', 'client_secret', 'routing_key']);
/** Every value in these is a credential: headers may be, and the URL of an incoming webhook allows posting to it. */
const SECRET_OBJECTS = new Set(['headers', 'incoming_webhook']);
/** Depth of a service field within which credentials can occur. */
const DEPTH_MAX = 4;

/**
 * A profile as the history shows it: without credentials of services. These may be the tenant's, which the recipients of the messages
 * must not see. The stored profile stays unchanged.
 */
export function shownProfile(profile: JsonObject): JsonObject {
  const services = SERVICES.filter((name) => isJsonObject(profile[name]));
  if (services.length === 0) return profile;
  return { ...profile, ...Object.fromEntries(services.map((name) => [name, withoutCredentials(profile[name] as JsonObject, 1)])) };
}

function withoutCredentials(object: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => {
      if (CREDENTIALS.has(name) && value !== null) return [name, HIDDEN];
      if (!isJsonObject(value)) return [name, value];
      if (SECRET_OBJECTS.has(name)) return [name, hiddenValues(value)];
      return [name, depth < DEPTH_MAX ? withoutCredentials(value, depth + 1) : value];
    }),
  );
}

/** The object with every value hidden; names are shown. */
function hiddenValues(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(object).map((name) => [name, HIDDEN]));
}
