import type { Accepted, Outcome } from '../provider';
import type { WireMail } from './compose';
import type { Reply, SmtpError, Stage } from './smtp-error';
import type { Delivered } from './transaction';

/** Codes of a server that requires a login or encryption first. */
const LOGIN_CODES = new Set([530, 534, 535, 538]);
const RESPONSE_LENGTH_MAX = 1_024;
const BOUNCE_CODES = new Set([550, 551, 553]);
/** As replies to a recipient: invalid address. As replies to other commands they concern the command. */
const NO_ADDRESS_CODES = new Set([501, 513]);

/**
 * No report follows a 250, so it counts as delivered; `reply` is the server's text, often with its queue id. The response lists the
 * refused copies, blind ones without their address.
 */
export function toAccepted(mail: WireMail, { reply, refused }: Delivered): Accepted {
  const reference = { reply: reply.line, message_id: mail.messageId };
  if (refused.length === 0) return { kind: 'accepted', reference, delivered: true };
  const copies = refused.map(({ copy: { kind }, reply: { code, line } }) => `${kind} refused: ${kind === 'bcc' ? code : line}`);
  const body = [reply.line, ...copies].join('\n').slice(0, RESPONSE_LENGTH_MAX);
  return { kind: 'accepted', reference, delivered: true, response: { status: reply.code, body } };
}

/** Maps the early end of a conversation to the outcome of the attempt. */
export function toOutcome({ kind, stage, message, reply }: SmtpError): Outcome {
  switch (kind) {
    case 'refused':
      return reply ? toRefusal(stage, reply) : { kind: 'retry', error: message };
    case 'busy':
      return { kind: 'retry', error: `Mail server: ${message}` };
    case 'certificate':
      return { kind: 'failed', error: `Mail server: ${message}`, cause: 'configuration', reason: 'PROVIDER_ERROR' };
    case 'unsuitable':
      return {
        kind: 'failed',
        error: `Mail server: ${message}`,
        cause: stage === 'MAIL FROM' ? 'permanent' : 'configuration',
        reason: 'PROVIDER_ERROR',
      };
    case 'lost':
    case 'timeout':
    case 'aborted':
      return {
        kind: 'retry',
        error: `Mail server: ${message} (${describeStage(stage)})`,
        ...(kind !== 'aborted' && isBeforeMail(stage) && { outage: true }),
      };
  }
}

function toRefusal(stage: Stage, reply: Reply): Outcome {
  const { code, status = '' } = reply;
  const error = `Mail server refused ${subject(stage)}: ${reply.line}`;
  if (code < 500) {
    // 421 ends the whole conversation, whichever recipient it answers.
    if (code === 421 || isBeforeMail(stage)) return { kind: 'retry', error, outage: true };
    return code === 452 || status === '4.2.2' ? { kind: 'retry', error, reasonCode: 'SOFT' } : { kind: 'retry', error };
  }
  // Before the recipient, a refusal concerns the sender: its login, sender address or network address.
  const isOfSender = stage !== 'RCPT TO' && stage !== 'DATA' && stage !== 'message';
  if (isOfSender || LOGIN_CODES.has(code)) return { kind: 'failed', error, cause: 'configuration', reason: 'PROVIDER_ERROR' };
  if (status === '5.2.2') return { kind: 'failed', error, cause: 'recipient', reason: 'BOUNCED', reasonCode: 'SOFT' };
  const isNoAddress = stage === 'RCPT TO' && status === '' && NO_ADDRESS_CODES.has(code);
  if (isNoAddress || BOUNCE_CODES.has(code) || status.startsWith('5.1.') || status === '5.2.1') {
    return { kind: 'failed', error, cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' };
  }
  return { kind: 'failed', error, cause: 'permanent', reason: 'PROVIDER_ERROR' };
}

const BEFORE_MAIL: ReadonlySet<Stage> = new Set(['connecting', 'greeting', 'EHLO', 'STARTTLS', 'AUTH']);

/**
 * Whether the fault concerns every mail. From MAIL FROM on that is unknown: many servers delay their replies to sender and recipient
 * until they have checked the recipient.
 */
function isBeforeMail(stage: Stage): boolean {
  return BEFORE_MAIL.has(stage);
}

function subject(stage: Stage): string {
  switch (stage) {
    case 'MAIL FROM':
      return 'the sender';
    case 'RCPT TO':
      return 'the recipient';
    case 'DATA':
      return 'to accept a message';
    case 'message':
      return 'the message after its end';
    case 'AUTH':
      return 'the login';
    case 'STARTTLS':
    case 'RSET':
      return stage;
    case 'connecting':
    case 'greeting':
    case 'EHLO':
      return 'the connection';
  }
}

function describeStage(stage: Stage): string {
  if (stage === 'message') return 'after the whole message, before its answer: the server may have accepted it';
  return `at ${stage}, before the message`;
}
