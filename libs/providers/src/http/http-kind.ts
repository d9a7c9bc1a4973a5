import { PROVIDER_CHANNELS } from '@tidings/contracts/messaging/provider-names';
import type { ProviderKind } from '../provider-kind';
import type { RenderedChannel } from '../rendered';
import { readSettings } from '../setting-values';
import { AUTHORIZATION_FIELD, problemOfAuthorization, problemOfUrl, withoutFragment, withoutVendors } from './endpoint';
import { HttpProvider, type HttpProviderSettings } from './http-provider';

const CHANNELS = PROVIDER_CHANNELS.http satisfies readonly RenderedChannel[];

const FIELDS = {
  channel: { type: 'enum', required: true, values: CHANNELS },
  url: { type: 'string', required: true, lengthMax: 2_048, destination: true },
  secret: { type: 'string', required: true, lengthMin: 16, lengthMax: 256, secret: true },
  authorization: AUTHORIZATION_FIELD,
} as const;

interface HttpKindSettings extends HttpProviderSettings {
  readonly url: URL;
  readonly channel: RenderedChannel;
}

/** An HTTP endpoint of the operator, on any channel: custom providers without a change of this code. */
export const httpKind: ProviderKind<HttpKindSettings> = {
  key: 'http',
  channels: CHANNELS,
  title: 'HTTP endpoint',
  description: 'Hands each message to an HTTP endpoint of your own, as signed JSON',
  fields: FIELDS,
  parseSettings(value) {
    const { channel, url, secret, authorization } = readSettings(FIELDS, value, (given) => [
      problemOfUrl(given.url),
      problemOfAuthorization(given.authorization),
    ]);
    return { channel: channel as RenderedChannel, url: withoutFragment(url), secret, authorization };
  },
  channelOf: ({ channel }) => channel,
  recipientOf: withoutVendors,
  hostOf: ({ url }) => ({ setting: 'url', host: url.hostname }),
  open: (settings, { guard }) => new HttpProvider(settings, { guard }),
};
