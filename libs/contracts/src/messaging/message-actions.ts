import { IsString } from 'class-validator';
import { defineOperation } from '../core/operation';
import { GetMessage, MessageDetails } from './messages';

export class ResentMessage {
  /** Of the new message. */
  @IsString()
  messageId!: string;
}

/** What can be done with a message that was sent. */
export const messageActions = {
  cancel: defineOperation({
    pattern: 'messaging.messages.cancel',
    route: 'POST /messages/:message_id/cancel',
    scope: 'write:messages',
    summary: 'Cancel a message, or what has not left of a request to several, before a provider was called',
    request: GetMessage,
    response: MessageDetails,
    mayConflict: true,
    conflictAnswer: MessageDetails,
    waits: true,
  }),
  resend: defineOperation({
    pattern: 'messaging.messages.resend',
    route: 'POST /messages/:message_id/resend',
    status: 202,
    scope: 'write:messages',
    summary: 'Send a message again, as a new one',
    request: GetMessage,
    response: ResentMessage,
    waits: true,
  }),
};
