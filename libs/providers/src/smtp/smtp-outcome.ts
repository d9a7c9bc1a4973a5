import { type Accepted, bounced, type Failed, failed, type Retry, retry } from '../provider';
import type { WireCopy, WireMail } from './compose';
import { isNoAddress } from './no-address';
import { type Reply, type SmtpError, type Stage } from './smtp-error';

/** The result of an accepted mail. */
export interface Delivered {
  /** The server's reply to the end of the mail. */
  readonly reply: Reply;
  /** Refused copies. */
  readonly refused: readonly { readonly copy: WireCopy; readonly reply: Reply }[];
}

/** Codes of a server that requires a login or encryption first. */
const LOGIN_CODES = new Set([530, 534, 535, 538]);
const RESPONSE_LENGTH_MAX = 1_024;
const BOUNCE_CODES = new Set([550, 551, 553]);
/** As replies to a recipient: invalid address. As replies to other commands they concern the command. */
const INVALID_ADDRESS_CODES = new Set([501, 513]);

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
export function toOutcome({ kind, stage, message, reply }: SmtpError): Retry | Failed {
  const error = `Mail server: ${message}`;
  switch (kind) {
    case 'refused':
      return reply ? toRefusal(stage, reply) : retry(message);
    case 'busy':
      return retry(error);
    case 'certificate':
      return failed(error, 'configuration');
    case 'unsuitable':
      return failed(error, stage === 'MAIL FROM' ? 'permanent' : 'configuration');
    case 'lost':
    case 'timeout':
    case 'aborted':
      return retry(`${error} (${describeStage(stage)})`, { ...(kind !== 'aborted' && BEFORE_MAIL.has(stage) && { outage: true }) });
  }
}

function toRefusal(stage: Stage, reply: Reply): Retry | Failed {
  const { code, status = '' } = reply;
  const error = `Mail server refused ${SUBJECTS[stage]}: ${reply.line}`;
  if (code < 500) {
    // 421 ends the whole conversation, whichever recipient it answers.
    if (code === 421 || BEFORE_MAIL.has(stage)) return retry(error, { outage: true });
    return code === 452 || status === '4.2.2' ? retry(error, { reasonCode: 'SOFT' }) : retry(error);
  }
  // Before the recipient, a refusal concerns the sender: its login, sender address or network address.
  const isOfSender = stage !== 'RCPT TO' && stage !== 'DATA' && stage !== 'message';
  if (isOfSender || LOGIN_CODES.has(code)) return failed(error, 'configuration');
  if (status === '5.2.2') return bounced(error, 'SOFT');
  const isInvalid = stage === 'RCPT TO' && status === '' && INVALID_ADDRESS_CODES.has(code);
  if (isInvalid || BOUNCE_CODES.has(code) || status.startsWith('5.1.') || status === '5.2.1') {
    // Without a status, an answer to the mail may be about its content.
    const isOfAddress = isInvalid || (isNoAddress(code, status) && (status !== '' || stage === 'RCPT TO'));
    return isOfAddress ? bounced(error, 'HARD') : { ...bounced(error, 'HARD'), isOfMail: true };
  }
  return failed(error, 'permanent');
}

/**
 * Stages at which a fault concerns every mail. From MAIL FROM on that is unknown: many servers delay their replies to sender and
 * recipient until they have checked the recipient.
 */
const BEFORE_MAIL: ReadonlySet<Stage> = new Set(['connecting', 'greeting', 'EHLO', 'STARTTLS', 'AUTH']);

const SUBJECTS: Readonly<Record<Stage, string>> = {
  connecting: 'the connection',
  greeting: 'the connection',
  EHLO: 'the connection',
  STARTTLS: 'STARTTLS',
  AUTH: 'the login',
  RSET: 'RSET',
  'MAIL FROM': 'the sender',
  'RCPT TO': 'the recipient',
  DATA: 'to accept a message',
  message: 'the message after its end',
};

function describeStage(stage: Stage) {
  if (stage === 'message') return 'after the whole message, before its answer: the server may have accepted it';
  return `at ${stage}, before the message`;
}
