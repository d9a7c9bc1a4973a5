import type { ProviderKind } from '../provider-kind';
import { readSettings } from '../setting-values';
import { shown } from '@tidings/contracts/core/refusals';
import { DKIM_KEY, DKIM_SELECTOR, isDkimSelector, parseDkimKey } from '@tidings/contracts/messaging/dkim';
import { parseMailbox, toMailDomain } from '@tidings/contracts/messaging/mailbox';
import { PROVIDER_CHANNELS } from '@tidings/contracts/messaging/provider-names';
import { SmtpProvider } from './smtp-provider';
import { settingsOfServer, type SmtpSettings } from './smtp-settings';

const IMPLICIT_TLS_PORT = 465;
const PORT_MAX = 65_535;

const FIELDS = {
  host: { type: 'string', required: true, lengthMax: 255, destination: true },
  port: { type: 'number', required: false, min: 1, max: PORT_MAX, destination: true },
  secure: { type: 'boolean', required: false, destination: true },
  tls: { type: 'enum', required: false, values: ['required', 'opportunistic', 'off'], destination: true },
  verify: { type: 'boolean', required: false, destination: true },
  user: { type: 'string', required: false, lengthMax: 320 },
  pass: { type: 'string', required: false, secret: true },
  from_address: { type: 'string', required: false, requiredWithoutSender: true, lengthMax: 320 },
  dkim: {
    type: 'object',
    required: false,
    fields: {
      domain: { type: 'string', required: true, lengthMax: 253 },
      selector: { type: 'string', required: true, lengthMax: 63 },
      private_key: { type: 'string', required: true, lengthMax: 8_192, secret: true },
    },
  },
} as const;

/** The provider kind for any mail server. */
export const smtpKind: ProviderKind<SmtpSettings> = {
  key: 'smtp',
  channels: PROVIDER_CHANNELS.smtp,
  title: 'SMTP',
  description: 'Delivers e-mail through any mail server',
  fields: FIELDS,
  parseSettings(value) {
    const { host, port, secure, tls, verify, user, pass, from_address, dkim } = readSettings(FIELDS, value, (given) => [
      given.host !== undefined && !/^[A-Za-z0-9._:-]+$/.test(given.host) && ['host', 'must be the name or the address of a mail server'],
      given.user !== undefined && given.pass === undefined && ['pass', 'is required beside settings.user'],
      given.pass !== undefined && given.user === undefined && ['user', 'is required beside settings.pass'],
      isImplicit(given) && given.tls === 'off' && ['tls', 'must not be off where settings.secure is true'],
      given.from_address !== undefined &&
        !parseMailbox(given.from_address) && ['from_address', 'must be one e-mail address, or Name <address>'],
      given.dkim?.domain !== undefined &&
        !toMailDomain(given.dkim.domain) && ['dkim.domain', `must be a domain, got ${shown(given.dkim.domain)}`],
      given.dkim?.selector !== undefined &&
        !isDkimSelector(given.dkim.selector) && ['dkim.selector', `must be ${DKIM_SELECTOR}, got ${shown(given.dkim.selector)}`],
      given.dkim?.private_key !== undefined && !parseDkimKey(given.dkim.private_key) && ['dkim.private_key', `must be ${DKIM_KEY}`],
    ]);
    const credentials = user !== undefined && pass !== undefined ? { user, password: pass } : undefined;
    return settingsOfServer({
      host,
      port,
      implicitTls: isImplicit({ secure, port }),
      tls: tls as 'required' | 'opportunistic' | 'off' | undefined,
      verify,
      credentials,
      from: from_address === undefined ? undefined : parseMailbox(from_address),
      dkim: dkim && { domain: toMailDomain(dkim.domain)!, selector: dkim.selector, privateKey: parseDkimKey(dkim.private_key)! },
    });
  },
  channelOf: () => 'email',
  hostOf: ({ host }) => ({ setting: 'host', host }),
  open: (settings, { guard, sender = settings.from }) => {
    const from = settings.fromSource === 'host' ? sender : settings.from;
    return new SmtpProvider({ ...settings, from, guard });
  },
};

/** Whether TLS begins with the first byte. */
function isImplicit({ secure, port }: { readonly secure?: boolean; readonly port?: number }) {
  return secure ?? port === IMPLICIT_TLS_PORT;
}
