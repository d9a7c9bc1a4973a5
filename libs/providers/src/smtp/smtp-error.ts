/** The stage of a conversation; it determines the outcome and is part of every error text. */
export type Stage = 'connecting' | 'greeting' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'RSET' | 'MAIL FROM' | 'RCPT TO' | 'DATA' | 'message';

/** A server's complete reply to one command. */
export interface Reply {
  readonly code: number;
  /** RFC 3463 status such as `5.1.1`, where the server sends one. */
  readonly status?: string;
  /** The whole reply on one line. */
  readonly line: string;
  /** Its lines. */
  readonly lines: readonly string[];
}

/**
 * Why a conversation ended early.
 * - `refused`: the server refused a command by `reply`
 * - `lost`: the connection broke or the server sent no valid reply
 * - `timeout`, `aborted`: the client stopped waiting
 * - `busy`: the server is available, but other calls used every connection to it
 * - `certificate`: the server's certificate is not trusted
 * - `unsuitable`: the server does not offer what settings or mail require
 */
export type SmtpErrorKind = 'refused' | 'lost' | 'timeout' | 'aborted' | 'busy' | 'certificate' | 'unsuitable';

/** The only error of the SMTP client's inner parts for faults of network and server; the provider maps it to an outcome. */
export class SmtpError extends Error {
  override readonly name = 'SmtpError';

  constructor(
    readonly kind: SmtpErrorKind,
    readonly stage: Stage,
    message: string,
    readonly reply?: Reply,
  ) {
    super(message);
  }
}

/** The error of a reply that refuses the command of `stage`. */
export function refusal(stage: Stage, reply: Reply): SmtpError {
  return new SmtpError('refused', stage, reply.line, reply);
}
