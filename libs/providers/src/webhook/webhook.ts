import { HttpProvider, type HttpProviderSettings } from '../http/http-provider';
import { AUTHORIZATION_FIELD, problemOfAuthorization, problemOfUrl, withoutFragment, withoutVendors } from '../http/endpoint';
import type { ProviderKind } from '../provider-kind';
import { readSettings } from '../setting-values';

const FIELDS = {
  url: { type: 'string', required: false, lengthMax: 2_048, destination: true },
  secret: { type: 'string', required: false, lengthMin: 16, lengthMax: 256, secret: true },
  method: { type: 'enum', required: false, values: ['POST', 'PUT'] },
  authorization: AUTHORIZATION_FIELD,
} as const;

/** Webhooks: of the operator, or of each recipient. Unlike `http` it serves one channel, and needs neither a URL nor a secret. */
export const webhookKind: ProviderKind<HttpProviderSettings> = {
  key: 'webhook',
  channels: ['webhook'],
  title: 'Webhook',
  description: 'Posts each message as JSON to the webhook of its recipient, or to one of your own',
  fields: FIELDS,
  parseSettings(value) {
    const { url, method, ...settings } = readSettings(FIELDS, value, (given) => [
      problemOfUrl(given.url),
      problemOfAuthorization(given.authorization),
      given.authorization !== undefined && given.url === undefined && ['authorization', 'is for settings.url, which is not set'],
    ]);
    return { ...settings, method: method as 'POST' | 'PUT' | undefined, url: url === undefined ? undefined : withoutFragment(url) };
  },
  channelOf: () => 'webhook',
  recipientOf: withoutVendors,
  hostOf: ({ url }) => url && { setting: 'url', host: url.hostname },
  open: (settings, { guard }) => new HttpProvider(settings, { guard }, 'webhook'),
};
