import type { PreviewChannel } from '@tidings/contracts/content/previews';
import { invalid } from '@tidings/contracts/core/refusals';
import { providersOn, VENDORS_ON } from '@tidings/contracts/messaging/provider-names';

/** @throws ServiceError `invalid_request` for a provider that does not serve the channel. */
export function assertProviderOf(channel: PreviewChannel, provider: string): void {
  const allowed: readonly string[] = [...providersOn(channel), ...VENDORS_ON[channel]];
  if (allowed.includes(provider) || provider === channel) return;
  const choice = allowed.length > 0 ? `one of ${allowed.join(', ')}` : `left out, as ${channel} has none`;
  throw invalid(`provider must be ${choice} where channel is ${channel} (got ${JSON.stringify(provider)})`);
}
