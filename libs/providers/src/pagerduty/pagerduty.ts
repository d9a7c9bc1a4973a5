import type { JsonObject } from '@tidings/contracts/core/deep-merge';
import { cut } from '@tidings/contracts/core/text';
import { problemOfToken } from '../credentials';
import { oneLine } from '../one-line';
import { failed } from '../provider';
import { accepted, isSuccess } from '../vendor/classify';
import { textOf } from '../vendor/profile-texts';
import { defineVendor, type VendorMessage } from '../vendor/vendor';
import { PAGERDUTY_OPERATIONS } from './pagerduty.operations';

const ACTIONS = ['trigger', 'acknowledge', 'resolve'] as const;
const SEVERITIES = ['critical', 'error', 'warning', 'info'] as const;
const SUMMARY_CHARS_MAX = 1_024;
const KEY_CHARS_MAX = 255;
const SOURCE = 'tidings';

/** PagerDuty, by its Events API v2. */
export const pagerdutyKind = defineVendor({
  key: 'pagerduty',
  channel: 'webhook',
  title: 'PagerDuty',
  description: 'Raises, acknowledges and resolves incidents in PagerDuty',
  setup: `_Services_, the service, _Integrations_, _Add an integration_, _Events API V2_; copy its _Integration Key_ to
\`routing_key\`.

A recipient may have \`pagerduty\` in the profile: \`routing_key\`, which comes before the configured one, \`event_action\`
(\`trigger\`, the default, \`acknowledge\`, \`resolve\`), \`severity\` (\`critical\`, the default, \`error\`, \`warning\`, \`info\`),
\`source\` (default \`${SOURCE}\`) and \`dedup_key\`, which names the incident. Without one each message is an incident of its
own, so \`acknowledge\` and \`resolve\` need it. By the default routing an incident is raised for recipients with
\`pagerduty\` alone; other routings name \`pagerduty\`.

The title is the summary, or the text where there is none, cut after 1,024 characters; the whole text is in the details.`,
  example: { routing_key: '…' },
  to: { pagerduty: { severity: 'critical', source: 'db-7' } },
  fields: { routing_key: { type: 'string', required: false, lengthMax: 64, secret: true } },
  about: { routing_key: 'integration key; without it recipients need their own' },
  check: ({ routing_key }) => [problemOfToken('routing_key', routing_key)],
  baseUrl: 'https://events.pagerduty.com',
  operations: PAGERDUTY_OPERATIONS,
  limits: {},
  recipientOf(recipient) {
    if (recipient.channel !== 'webhook') return undefined;
    const { channel, user_id, pagerduty } = recipient;
    return { channel, user_id, ...(pagerduty && { pagerduty }) };
  },
  request(message, { routing_key }) {
    const { pagerduty = {} } = message.recipient;
    const own = textOf(pagerduty.routing_key);
    const key = own ?? routing_key;
    if (key === undefined) return failed('Neither profile.pagerduty nor the settings have a routing_key', 'permanent');
    const { event_action = 'trigger', severity = 'critical', source = SOURCE, dedup_key = message.attempt.idempotencyKey } = pagerduty;
    const wrong =
      problemOf('event_action', event_action, ACTIONS) ??
      problemOf('severity', severity, SEVERITIES) ??
      problemOfKey(event_action, pagerduty);
    if (wrong !== undefined) return failed(`profile.pagerduty.${wrong}`, 'permanent');
    return {
      operation: PAGERDUTY_OPERATIONS.send,
      body: {
        routing_key: key,
        event_action,
        dedup_key,
        ...(event_action === 'trigger' && { payload: { ...textsOf(message), source: textOf(source) ?? SOURCE, severity } }),
      },
      isRecipients: own !== undefined,
    };
  },
  words: ({ message, errors }) =>
    [message, ...(Array.isArray(errors) ? (errors as unknown[]) : [])].filter((one) => typeof one === 'string').join(': '),
  read(answer) {
    if (isSuccess(answer)) return accepted(answer.json.dedup_key, false);
    return answer.status === 400 && /routing[_ ]key/i.test(answer.error) ? failed(answer.error, 'configuration') : undefined;
  },
  test: 'PagerDuty cannot be tested without an incident',
});

function problemOf(name: string, value: unknown, values: readonly string[]) {
  return values.includes(value as string) ? undefined : `${name} must be one of ${values.join(', ')}`;
}

function problemOfKey(action: unknown, { dedup_key: key }: Readonly<JsonObject>) {
  if (key === undefined) return action === 'trigger' ? undefined : `dedup_key is required to ${String(action)}: it names the incident`;
  return typeof key === 'string' && key !== '' && key.length <= KEY_CHARS_MAX
    ? undefined
    : `dedup_key must be a text of 1 to ${KEY_CHARS_MAX} characters`;
}

function textsOf({ rendered: { webhook } }: VendorMessage<'webhook'>) {
  const { title, body } = webhook;
  const summary = cut(oneLine(title || body) || 'Message', SUMMARY_CHARS_MAX);
  return { summary, ...(body !== '' && body !== summary && { custom_details: { body } }) };
}
