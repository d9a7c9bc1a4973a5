import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { problemOfWebhook } from '../credentials';
import { failed } from '../provider';
import { defineVendor } from '../vendor/vendor';
import { WORKFLOWS_OPERATIONS } from './teams-workflows.operations';

const REQUEST_BYTES_MAX = 28 * 1_024;

/** One channel or chat of Microsoft Teams, by the webhook of a workflow. */
export const teamsWorkflowsKind = defineVendor({
  key: 'teams-workflows',
  channel: 'direct_message',
  title: 'Microsoft Teams workflow',
  description: 'Posts messages to one channel or chat in Microsoft Teams',
  setup: `In Teams open the menu of the channel or chat, _Workflows_, the template _Post to a channel when a webhook request is
received_ (or _to a chat_), and copy the address that it shows at the end to \`webhook_url\`. The whole address is a
secret.

Every message to a recipient with \`ms_teams\` in the profile goes to that channel; people are reached by
[\`msteams\`](msteams.md). Content becomes an Adaptive Card. Workflows answer without an id, and accept four posts a
second: set \`rate_limit\` where there may be more.`,
  example: { webhook_url: 'https://prod-00.westeurope.logic.azure.com/workflows/…' },
  to: { ms_teams: { tenant_id: 'shop.example', channel_id: '19:4a95f7d8db4c4e7f@thread.tacv2' } },
  fields: { webhook_url: { type: 'string', required: true, lengthMax: 2_048, secret: true } },
  about: { webhook_url: 'address of the workflow, with all its parameters' },
  check: ({ webhook_url }) => [problemOfWebhook('webhook_url', webhook_url)],
  baseUrl: undefined,
  hostOf: ({ webhook_url }) => ({ setting: 'webhook_url', host: new URL(webhook_url).hostname }),
  operations: WORKFLOWS_OPERATIONS,
  limits: { requestBytes: REQUEST_BYTES_MAX },
  recipientOf: (recipient) => (recipient.channel === 'direct_message' && recipient.ms_teams ? recipient : undefined),
  needs: 'teams-workflows needs profile.ms_teams',
  request({ rendered }, { webhook_url }) {
    const { text, card } = rendered.directMessage;
    const content = card ?? { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text, wrap: true }] };
    return {
      operation: WORKFLOWS_OPERATIONS.send,
      url: webhook_url,
      body: { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }] },
    };
  },
  words: ({ error }) => isJsonObject(error) && error.message,
  // The workflow was deleted or switched off, and with it the address.
  read: ({ status, error }) => (status === 404 || status === 410 ? failed(error, 'configuration') : undefined),
  test: 'A workflow cannot be tested without a message',
});
