import { listItem } from '@tidings/contracts/core/list-item';
import type { VendorCallback } from '../callback/callback';
import type { SettingField } from '../provider-kind';
import type { Limits } from './limits';
import type { VendorKind } from './vendor';

/** A number for people: `30,000`. */
const shown = (value: number) => value.toLocaleString('en');

/** Options of `curl` for a request with JSON. */
const AS_JSON = `-H "Authorization: Bearer $KEY" -H 'Content-Type: application/json'`;

/** The page docs/providers/<key>.md of a vendor. */
export function vendorPage({ key, channels, title, description, fields, page }: VendorKind): string {
  const { setup, example, to, about, overridable, operations, limits, callback, untestable } = page;
  const settings = Object.entries(fields).map(([name, field]) =>
    listItem(settingText(name, field, about[name] ?? aboutBaseUrl(page.baseUrl))),
  );
  const limitTexts = limitsOf(limits);
  const calls = Object.values(operations).map(({ method, path }) => (path === '' ? 'the address of a webhook' : `\`${method} ${path}\``));
  const configuration = JSON.stringify({ provider: key, settings: example }, null, 2).replaceAll("'", "'\\''");
  return `# ${title}: \`${key}\`

<!-- Written by node tools/write-providers.mjs from libs/providers/src/${key}: change it there. -->

\`\`\`sh
URL=http://127.0.0.1:8080 KEY=$(cat .tidings/api-key)   # those of \`npm start\`, in its folder
ID=$(curl -sS $URL/providers ${AS_JSON} -d '${configuration}' |
  sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -sS -X POST $URL/providers/$ID/test -H "Authorization: Bearer $KEY"
\`\`\`

\`\`\`json
${untestable === undefined ? '{ "ok": true }' : `{ "ok": false, "message": ${JSON.stringify(untestable)} }`}
\`\`\`

\`\`\`sh
${channels[0] === 'push' ? storeToken(key) : ''}${send(key, to)}
\`\`\`

\`\`\`json
{ "requestId": "1-6b012214-141001994d5b7fe7e5008e57" }
\`\`\`

${description}, on the channel \`${channels[0]}\`.
The message is \`SENT\` once it is accepted, or \`UNDELIVERABLE\` with the reason ([messages.md](../messages.md)).

All that is not here is the same for every provider: [providers.md](../providers.md).

## Credentials

${setup}

## Settings

${settings.join('\n')}
${listItem('`rate_limit`: optional; `{rate, period}`, the calls per `second`, `minute` or `hour`')}

${overridable.length > 0 ? `A send may replace ${overridable.map((name) => `\`${name}\``).join(', ')} by \`override.config\`.\n` : ''}Its \`override.body\` is merged over the request.
${limitTexts.length > 0 ? `\n## Limits\n\nWhat does not fit fails before the call, with the reason, and the next provider is tried.\n\n${limitTexts.map(listItem).join('\n')}\n` : ''}
${callback ? callbackPart(key, callback) : NO_CALLBACK}## Calls

${listItem(`${[...new Set(calls)].join(', ')}.`)}
`;
}

/** A push token of the user that the send names. */
const storeToken = (key: string) => `curl -sS -X PUT $URL/users/ada/tokens ${AS_JSON} \\
  -d '{ "tokens": [{ "token": "…", "provider_key": "${key}" }] }'
`;

/** A send by this vendor alone. */
const send = (key: string, to: object) => `curl -sS $URL/send ${AS_JSON} -d '{
  "message": {
    "to": ${JSON.stringify(to, null, 1).replaceAll(/\s*\n\s*/g, ' ')},
    "content": { "title": "Order A-17", "body": "It has shipped." },
    "routing": { "method": "single", "channels": ["${key}"] }
  }
}'`;

const NO_CALLBACK = `## What comes back

It has no callback: no address is given to it.

`;

/** What comes back, and where its address is given to the vendor. */
function callbackPart(key: string, { setup, reports }: VendorCallback) {
  return `## What comes back

\`\`\`sh
curl -sS $URL/providers/$ID -H "Authorization: Bearer $KEY" | sed 's/.*"callback_url":"\\([^"]*\\)".*/\\1/'
\`\`\`

\`\`\`
https://notify.example.com/providers/callback/${key}/<configuration>/<secret>
\`\`\`

It reports ${reports.map((kind) => `\`${kind}\``).join(', ')}.
This \`callback_url\` needs \`TIDINGS_PUBLIC_URL\` ([callbacks.md](../callbacks.md)).

${setup}

`;
}

function settingText(name: string, { required, requiredWithoutSender, secret, values }: SettingField, text: string) {
  const needed = required ? 'required' : requiredWithoutSender ? 'required unless `TIDINGS_SMTP_URL` names a sender' : 'optional';
  const choice = values && `one of ${values.map((value) => `\`${value}\``).join(', ')}`;
  return `\`${name}\`: ${[needed, secret && 'secret', choice, text].filter(Boolean).join('; ')}`;
}

function aboutBaseUrl(baseUrl: string | undefined) {
  return `another address of the vendor's interface${baseUrl === undefined ? '' : `, default \`${baseUrl}\``}; a new one needs the secrets again`;
}

function limitsOf(limits: Limits) {
  const { requestBytes, addresses, bodyBytes, attachmentBytes, asciiAttachmentNames, textChars, segments } = limits;
  return [
    requestBytes !== undefined && `${shown(requestBytes)} bytes of a request`,
    addresses !== undefined && `${shown(addresses)} recipients of a mail, copies included`,
    bodyBytes !== undefined && `${shown(bodyBytes)} bytes of a mail's text, and of its HTML`,
    attachmentBytes !== undefined && `${shown(attachmentBytes)} bytes of attachments`,
    asciiAttachmentNames && 'names of attachments in ASCII',
    textChars !== undefined && `${shown(textChars)} characters of text (UTF-16 units)`,
    segments !== undefined && `${shown(segments)} segments of an SMS`,
  ].filter((text): text is string => typeof text === 'string');
}
