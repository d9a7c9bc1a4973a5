import { ServiceError } from '@tidings/contracts/core/errors';
import { CHANNELS } from '@tidings/contracts/core/channels';
import { kindOf } from '@tidings/providers/kinds';
import { DEFAULT_INTEGRATION_ID } from './default-configuration';

/** Names with a meaning in routings (channels) and in histories (the default provider). */
const RESERVED: ReadonlySet<string> = new Set([...CHANNELS, DEFAULT_INTEGRATION_ID]);

/** Refuses an alias that names a provider, a channel or the default provider. @throws ServiceError `invalid_request` */
export function assertAlias(alias: string): void {
  const what = kindOf(alias) ? 'is the name of a provider' : RESERVED.has(alias) ? 'has a meaning of its own' : undefined;
  if (what) throw new ServiceError('invalid_request', `alias ${alias} ${what}: choose another one`);
}
