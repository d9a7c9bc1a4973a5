import { PROVIDER_CHANNELS } from '@tidings/contracts/messaging/provider-names';
import type { ProviderKind } from '../provider-kind';
import type { RenderedChannel } from '../rendered';
import { readSettings, type SettingProblem } from '../setting-values';
import { HttpProvider, type HttpProviderSettings } from './http-provider';

const CHANNELS = PROVIDER_CHANNELS.http satisfies readonly RenderedChannel[];

const FIELDS = {
  channel: { type: 'enum', required: true, values: CHANNELS },
  url: { type: 'string', required: true, lengthMax: 2_048, destination: true },
  secret: { type: 'string', required: true, lengthMin: 16, lengthMax: 256, secret: true },
  authorization: { type: 'string', required: false, lengthMax: 4_096, secret: true },
} as const;

interface HttpKindSettings extends HttpProviderSettings {
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
      given.url !== undefined && problemOfUrl(given.url),
      given.authorization !== undefined &&
        !/^[\x20-\x7e]+$/.test(given.authorization) && ['authorization', 'must be printable ASCII characters, such as Bearer and a token'],
    ]);
    return { channel: channel as RenderedChannel, url: withoutFragment(url), secret, authorization };
  },
  channelOf: ({ channel }) => channel,
  hostOf: ({ url }) => ({ setting: 'url', host: url.hostname }),
  open: (settings, { guard }) => new HttpProvider(settings, { guard }),
};

function problemOfUrl(text: string): SettingProblem | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== 'https:' && url.protocol !== 'http:')) return ['url', 'must be a URL that begins with https:// or http://'];
  if (url.username === '' && url.password === '') return undefined;
  return ['url', 'must not hold credentials: put them into settings.authorization'];
}

function withoutFragment(text: string) {
  const url = new URL(text);
  url.hash = '';
  return url;
}
