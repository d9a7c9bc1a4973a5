import type { VendorMatrix } from '../vendor/matrix.fixture';
import { teamsWorkflowsKind } from './teams-workflows';

const direct = (text: string, card?: object) => ({ kind: 'direct_message', directMessage: { text, card: card && { ...card } } }) as const;
const recipient = { channel: 'direct_message', ms_teams: { user_id: '29:ada' } } as const;
export const CARD = { type: 'AdaptiveCard', version: '1.4', body: [{ type: 'TextBlock', text: '**Shipped**', wrap: true }] };

export const TEAMS_WORKFLOWS: VendorMatrix = {
  kind: teamsWorkflowsKind,
  settings: (peer) => ({ webhook_url: `${peer.urlOf('send')}?sig=the-signature-of-the-workflow` }),
  message: { rendered: direct('Shipped', CARD), recipient },
  rows: {
    accepted: { answer: { status: 202 }, outcome: { kind: 'accepted', reference: {}, delivered: false } },
    badCredentials: {
      answer: { status: 401, body: { error: { code: 'AuthorizationFailed', message: 'The authentication credentials are not valid.' } } },
      outcome: { kind: 'failed', cause: 'configuration' },
    },
    'a workflow that was deleted': { answer: { status: 404 }, outcome: { kind: 'failed', cause: 'configuration' } },
    tooLarge: { answer: { status: 413 }, outcome: { kind: 'failed', cause: 'permanent' } },
    'a card that is invalid': { answer: { status: 400, body: 'Bad payload received' }, outcome: { kind: 'failed', cause: 'permanent' } },
  },
  unfit: { rendered: direct('x'.repeat(29_000)), recipient, reason: 'bytes for Microsoft Teams workflow, which accepts 28672' },
  test: 'A workflow cannot be tested without a message',
};
