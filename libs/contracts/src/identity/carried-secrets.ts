import { SERVICES } from './profile-credentials';
import type { Operation } from '../core/operation';

type Carrying = Pick<Operation, 'carriesSecrets' | 'method' | 'pattern'>;

/** Resources whose answers to a GET hold credentials in profiles alone. */
const OF_PROFILES = /^identity\.(?:profiles|tenants|user-tenants|accounts)\./;
/** A field with credentials in a profile. An answer is JSON that we wrote: its names have no escapes. */
const SERVICE_FIELD = new RegExp(`"(?:${SERVICES.join('|')})":`);

/** Whether the request of an operation travels sealed: of a GET it has ids alone. */
export function sealsRequest({ carriesSecrets, method }: Carrying): boolean {
  return carriesSecrets === true && method !== 'GET';
}

/** Whether a reply to an operation travels sealed. Sealing and opening cost as much as all else of a GET, so one without credentials does not. */
export function sealsReply({ carriesSecrets, method, pattern }: Carrying, reply: string): boolean {
  if (!carriesSecrets) return false;
  return method !== 'GET' || !OF_PROFILES.test(pattern) || SERVICE_FIELD.test(reply);
}
