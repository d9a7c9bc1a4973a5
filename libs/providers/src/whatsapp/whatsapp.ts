import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { problemOfToken } from '../credentials';
import { bounced, type Failed, failed, type Retry, retry } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { withoutSeparators } from '../vendor/phone-number';
import { defineVendor } from '../vendor/vendor';
import { whatsappCallback } from './whatsapp.callback';
import { WHATSAPP_OPERATIONS } from './whatsapp.operations';

const API_VERSION = 'v23.0';
const LANGUAGE = 'en_US';

/** Error codes: their HTTP status is most often 400, whatever they mean. Others, as those of templates (132xxx), are permanent. */
const BY_CODE: readonly (readonly [codes: readonly number[], outcome: (error: string) => Retry | Failed])[] = [
  // The limit of the application, the account, or the number.
  [[4, 80_007, 130_429], (error) => retry(error, { outage: true })],
  // Too many messages to this recipient; or a fault of the vendor's.
  [[131_000, 131_016, 131_056], (error) => retry(error)],
  // The number has no WhatsApp, or an application that is too old.
  [[131_026], (error) => bounced(error, 'HARD')],
  // The token is invalid or lacks a permission, the number is not registered, or the account is restricted.
  [[0, 10, 190, 368, 131_048, 133_010], (error) => failed(error, 'configuration')],
];

/** WhatsApp, by the Business Cloud API of Meta. */
export const whatsappKind = defineVendor({
  key: 'whatsapp',
  channel: 'direct_message',
  title: 'WhatsApp',
  description: 'Sends WhatsApp messages through the Business Cloud API of Meta',
  setup: `1. Make an application of the type _Business_ with the product _WhatsApp_ (_developers.facebook.com_, _My Apps_) and
   register a number. _API Setup_ shows its _Phone number ID_.
2. Make a token that does not expire: _Business settings_, _System users_, a user with the application and the
   permission \`whatsapp_business_messaging\`, _Generate new token_.
3. Outside the 24 hours after a person's last message, WhatsApp accepts approved templates alone: set \`template_name\`
   to one whose body is \`{{1}}\` or contains it. The text of each message becomes that parameter, on one line.

A recipient has \`phone_number\` in the profile, with a plus and the country code. Without \`template_name\` messages are
texts. Another template, or further parameters, are an override of the send:
\`{"body": {"type": "template", "text": null, "template": {"name": "order", "language": {"code": "de"}}}}\`.`,
  example: { access_token: 'EAA…', phone_number_id: '106540352242922', template_name: 'notice' },
  to: { phone_number: '+4915123456789' },
  fields: {
    access_token: { type: 'string', required: true, lengthMax: 1_024, secret: true },
    phone_number_id: { type: 'string', required: true, lengthMax: 32 },
    template_name: { type: 'string', required: false, lengthMax: 512 },
    template_language: { type: 'string', required: false, lengthMax: 16 },
    api_version: { type: 'string', required: false, lengthMax: 8 },
    app_secret: { type: 'string', required: false, lengthMax: 256, secret: true },
  },
  about: {
    access_token: 'token of the system user',
    phone_number_id: 'id of the number that sends, not the number itself',
    template_name: 'approved template with the text as its only parameter',
    template_language: `language of the template, default \`${LANGUAGE}\``,
    api_version: `version of the interface, default \`${API_VERSION}\``,
    app_secret: 'secret of the application, which signs its webhook',
  },
  callback: whatsappCallback,
  overridable: ['template_name', 'template_language'],
  check: ({ access_token, phone_number_id, api_version }) => [
    problemOfToken('access_token', access_token),
    phone_number_id !== undefined && !/^\d+$/.test(phone_number_id) && ['phone_number_id', 'must be digits: the id, not the number'],
    api_version !== undefined && !/^v\d+\.\d+$/.test(api_version) && ['api_version', `must be a version such as ${API_VERSION}`],
  ],
  baseUrl: 'https://graph.facebook.com',
  operations: WHATSAPP_OPERATIONS,
  limits: { textChars: 4_096 },
  recipientOf(recipient) {
    if (recipient.channel !== 'direct_message' || recipient.phone_number === undefined) return undefined;
    return { channel: 'direct_message', phone_number: recipient.phone_number };
  },
  needs: 'whatsapp needs profile.phone_number, a number of 5 to 15 digits',
  credentials: ({ access_token }) => ({ authorization: `Bearer ${access_token}` }),
  request({ rendered, recipient }, settings) {
    if (recipient.phone_number === undefined) return failed('The profile has no phone_number', 'permanent');
    return {
      operation: WHATSAPP_OPERATIONS.send,
      parameters: pathOf(settings),
      body: {
        messaging_product: 'whatsapp',
        recipient_type: 'individual',
        to: withoutSeparators(recipient.phone_number),
        ...contentOf(rendered.directMessage.text, settings),
      },
    };
  },
  words: ({ error }) => (isJsonObject(error) ? `${String(error.message)} (${String(error.code)})` : undefined),
  read(answer) {
    const { json, error } = answer;
    if (isSuccess(answer)) return accepted(idIn(json), false);
    const code = isJsonObject(json.error) ? json.error.code : undefined;
    if (typeof code !== 'number') return undefined;
    // 200 to 299: a permission that the token lacks.
    if (code >= 200 && code < 300) return failed(error, 'configuration');
    return BY_CODE.find(([codes]) => codes.includes(code))?.[1](error);
  },
  test: { request: (settings) => ({ operation: WHATSAPP_OPERATIONS.number, parameters: pathOf(settings) }) },
});

function pathOf({ api_version = API_VERSION, phone_number_id }: { api_version: string | undefined; phone_number_id: string }) {
  return { version: api_version, phone_number_id };
}

interface Template {
  readonly template_name: string | undefined;
  readonly template_language: string | undefined;
}

/** A parameter of a template has no line ends, tabs or more than four spaces. */
function contentOf(text: string, { template_name: name, template_language: code = LANGUAGE }: Template) {
  if (name === undefined) return { type: 'text', text: { body: text } };
  const parameters = [{ type: 'text', text: text.replace(/\s+/g, ' ').trim() }];
  return { type: 'template', template: { name, language: { code }, components: [{ type: 'body', parameters }] } };
}

function idIn({ messages }: JsonObject) {
  const [first] = Array.isArray(messages) ? (messages as unknown[]) : [];
  return isJsonObject(first) ? first.id : undefined;
}
