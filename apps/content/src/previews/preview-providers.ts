import type { PreviewChannel } from '@tidings/contracts/content/previews';
import { ServiceError } from '@tidings/contracts/core/errors';
import { providersOn, VENDORS_ON } from '@tidings/contracts/messaging/provider-names';

/** @throws ServiceError `invalid_request` for a provider that is not one of the channel. */
export function assertProviderOf(channel: PreviewChannel, provider: string): void {
  const known: readonly string[] = [...providersOn(channel), ...VENDORS_ON[channel]];
  if (known.includes(provider) || provider === channel) return;
  const choice = known.length > 0 ? `one of ${known.join(', ')}` : `left out, as ${channel} has none`;
  throw new ServiceError('invalid_request', `provider must be ${choice} where channel is ${channel} (got ${JSON.stringify(provider)})`);
}
