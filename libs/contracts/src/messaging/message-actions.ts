import { Text } from '../core/fields';
import { defineOperations } from '../core/operation';
import { GetMessage, MessageDetails } from './messages';

export class ResentMessage {
  /** Id of the new message. */
  @Text messageId: string;
}

/** Actions on an accepted message. */
export const messageActions = defineOperations('messaging.messages', 'messages', {
  cancel: {
    route: 'POST /messages/:message_id/cancel',
    summary: 'Cancel a message, or the unsent messages of a request to several, before a provider is called',
    request: GetMessage,
    response: MessageDetails,
    mayConflict: true,
    conflictAnswer: MessageDetails,
    waits: true,
  },
  resend: {
    route: 'POST /messages/:message_id/resend',
    generation: 'later',
    status: 202,
    summary: 'Send a message again, as a new one',
    request: GetMessage,
    response: ResentMessage,
    waits: true,
  },
});
