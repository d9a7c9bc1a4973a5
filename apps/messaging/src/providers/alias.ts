import { ServiceError } from '@tidings/contracts/core/errors';
import { CHANNELS } from '@tidings/contracts/core/channels';
import { kindOf } from '@tidings/providers/kinds';
import { DEFAULT_INTEGRATION_ID } from './default-configuration';

/** What a routing takes for a channel, and a history for what nobody configured. */
const TAKEN: ReadonlySet<string> = new Set([...CHANNELS, DEFAULT_INTEGRATION_ID]);

/** Refuses a name under which a configuration could not be reached, or would be mistaken for something else. @throws ServiceError */
export function assertAlias(alias: string): void {
  const what = kindOf(alias) ? 'is the name of a provider' : TAKEN.has(alias) ? 'has a meaning of its own' : undefined;
  if (what) throw new ServiceError('invalid_request', `alias ${alias} ${what}: choose another one`);
}
