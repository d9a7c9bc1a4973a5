import { IsString } from 'class-validator';
import { defineOperation } from '../core/operation';
import { GetMessage, MessageDetails } from './messages';

export class ResentMessage {
  /** Id of the new message. */
  @IsString() messageId!: string;
}

/** Actions on an accepted message. */
export const messageActions = {
  cancel: defineOperation({
    pattern: 'messaging.messages.cancel',
    route: 'POST /messages/:message_id/cancel',
    scope: 'write:messages',
    summary: 'Cancel a message, or the unsent messages of a request to several, before a provider is called',
    request: GetMessage,
    response: MessageDetails,
    mayConflict: true,
    conflictAnswer: MessageDetails,
    waits: true,
  }),
  resend: defineOperation({
    pattern: 'messaging.messages.resend',
    route: 'POST /messages/:message_id/resend',
    generation: 'later',
    status: 202,
    scope: 'write:messages',
    summary: 'Send a message again, as a new one',
    request: GetMessage,
    response: ResentMessage,
    waits: true,
  }),
};
