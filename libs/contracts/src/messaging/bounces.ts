import { IsBase64 } from 'class-validator';
import { Int, TextOf } from '../core/fields';
import { defineOperations } from '../core/operation';

/** Bytes of a mail to a return path. */
export const BOUNCE_BYTES_MAX = 1_024 * 1_024;
const ADDRESS_LENGTH_MAX = 320;
const BYTES_PER_GROUP = 3;
const LETTERS_PER_GROUP = 4;

/** A mail to a return path, as a mail server received it. */
export class ReceiveBounce {
  /** The recipient of the envelope. @example "b+5f2c…@bounces.example.com" */
  @TextOf(1, ADDRESS_LENGTH_MAX) to: string;

  /** The mail with its headers in base64, at most 1 MB. @example "RnJvbTogTUFJTEVSLURBRU1PTi…" */
  @IsBase64()
  @TextOf(1, Math.ceil(BOUNCE_BYTES_MAX / BYTES_PER_GROUP) * LETTERS_PER_GROUP)
  mail: string;
}

export class ReceivedBounce {
  /** How many recipients it reports; 0: it is no delivery report, or the message is not stored any more. @example 1 */
  @Int reported: number;
}

/** Mails to the return paths of our mails. */
export const bounces = defineOperations('messaging.bounces', 'internal', {
  /** Answers 404 for an address that is no return path of the installation. */
  receive: {
    summary: 'Receive a mail to a return path',
    request: ReceiveBounce,
    response: ReceivedBounce,
  },
});
