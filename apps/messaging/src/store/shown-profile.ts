import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { HIDDEN } from '@tidings/contracts/messaging/override-secrets';

/** Fields of a profile that say how to reach somebody by a service, and hold what that service is opened with. */
const PLACES = ['webhook', 'slack', 'ms_teams', 'discord', 'pagerduty'];
/** What opens a service, in the words of those fields. */
const CREDENTIALS = new Set(['access_token', 'bot_access_token', 'refresh_token', 'token', 'password', 'client_secret', 'routing_key']);
/** Everything within these does: headers may be anything, and whoever knows the address of an incoming webhook may post to it. */
const SECRET_OBJECTS = new Set(['headers', 'incoming_webhook']);
/** The credentials that are known lie above this depth of such a field. */
const DEPTH_MAX = 4;

/**
 * A profile as the history shows it: without what opens the service of somebody. It may be the tenant's, which the users whose messages
 * these are must not see. The stored profile itself is not changed.
 */
export function shownProfile(profile: JsonObject): JsonObject {
  const places = PLACES.filter((name) => isJsonObject(profile[name]));
  if (places.length === 0) return profile;
  return { ...profile, ...Object.fromEntries(places.map((name) => [name, withoutCredentials(profile[name] as JsonObject, 1)])) };
}

function withoutCredentials(place: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(place).map(([name, value]) => {
      if (CREDENTIALS.has(name) && value !== null) return [name, HIDDEN];
      if (!isJsonObject(value)) return [name, value];
      if (SECRET_OBJECTS.has(name)) return [name, hiddenValues(value)];
      return [name, depth < DEPTH_MAX ? withoutCredentials(value, depth + 1) : value];
    }),
  );
}

/** An object of which nothing but the names is shown. */
function hiddenValues(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.keys(object).map((name) => [name, HIDDEN]));
}
