import { IsIn } from 'class-validator';
import { TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';
import { SUPPRESSION_CHANNELS, type SuppressionChannel } from './suppression-address';

const ADDRESS_LENGTH_MAX = 1_024;
const MESSAGE_ID_LENGTH_MAX = 64;

export class UnsubscribeAddress {
  @IsIn(SUPPRESSION_CHANNELS) channel: SuppressionChannel;

  @TextOf(1, ADDRESS_LENGTH_MAX) address: string;

  /** The message with the link. */
  @TextOf(1, MESSAGE_ID_LENGTH_MAX) message_id: string;
}

/** Unsubscriptions of addresses, for messages without a user and a topic. */
export const unsubscribes = defineOperations('messaging.unsubscribes', 'internal', {
  add: {
    command: true,
    summary: 'Suppress the address of a message on its channel, reason `unsubscribe`',
    request: UnsubscribeAddress,
  },
});
