import type { Accepted, Outcome } from '../provider';
import type { WireMail } from './compose';
import type { Reply, SmtpError, Stage } from './smtp-error';

/** Codes by which a server says: we two must agree on something first. */
const LOGIN_CODES = new Set([530, 534, 535, 538]);
const BOUNCE_CODES = new Set([550, 551, 553]);

/** No later report comes after a 250, so it counts as delivered; `reply` are the server's words, often with its queue id. */
export function toAccepted(mail: WireMail, reply: Reply): Accepted {
  return { kind: 'accepted', reference: { reply: reply.line, message_id: mail.messageId }, delivered: true };
}

/** What the early end of a conversation means for the delivery. */
export function toOutcome({ kind, stage, message, reply }: SmtpError): Outcome {
  switch (kind) {
    case 'refused':
      return reply ? toRefusal(stage, reply) : { kind: 'retry', error: message };
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
      return { kind: 'retry', error: `Mail server: ${message} (${whereabouts(stage)})` };
  }
}

function toRefusal(stage: Stage, reply: Reply): Outcome {
  const { code, status = '' } = reply;
  const error = `Mail server refused ${subject(stage)}: ${reply.line}`;
  if (code < 500) {
    return code === 452 || status === '4.2.2' ? { kind: 'retry', error, reasonCode: 'SOFT' } : { kind: 'retry', error };
  }
  // Before there is a recipient, a refusal is about us: our login, our sender address, our network address.
  const aboutUs = stage !== 'RCPT TO' && stage !== 'DATA' && stage !== 'message';
  if (aboutUs || LOGIN_CODES.has(code)) return { kind: 'failed', error, cause: 'configuration', reason: 'PROVIDER_ERROR' };
  if (status === '5.2.2') return { kind: 'failed', error, cause: 'recipient', reason: 'BOUNCED', reasonCode: 'SOFT' };
  if (BOUNCE_CODES.has(code) || status.startsWith('5.1.') || status === '5.2.1') {
    return { kind: 'failed', error, cause: 'recipient', reason: 'BOUNCED', reasonCode: 'HARD' };
  }
  return { kind: 'failed', error, cause: 'permanent', reason: 'PROVIDER_ERROR' };
}

function subject(stage: Stage): string {
  switch (stage) {
    case 'MAIL FROM':
      return 'the sender';
    case 'RCPT TO':
      return 'the recipient';
    case 'DATA':
      return 'to take a message';
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

function whereabouts(stage: Stage): string {
  if (stage === 'message') return 'after the whole message, before its answer: the server may have taken it';
  return `at ${stage}, before the message`;
}
