/** Where in a conversation something happened; it decides what the end means and stands in every error text. */
export type Stage = 'connecting' | 'greeting' | 'EHLO' | 'STARTTLS' | 'AUTH' | 'RSET' | 'MAIL FROM' | 'RCPT TO' | 'DATA' | 'message';

/** A server's whole answer to one command. */
export interface Reply {
  readonly code: number;
  /** RFC 3463 status such as `5.1.1`, where the server gives one. */
  readonly status?: string;
  /** The answer as it came, on one line. */
  readonly line: string;
  /** Its lines. */
  readonly lines: readonly string[];
}

/**
 * Why a conversation ended early.
 * - `refused`: the server said no, `reply` holds its words
 * - `lost`: the connection broke or the server spoke nonsense
 * - `timeout`, `aborted`: we stopped waiting
 * - `busy`: the server is there, but other calls had every connection to it
 * - `certificate`: the server could not prove who it is
 * - `unsuitable`: the server does not offer what the settings demand
 */
export type SmtpErrorKind = 'refused' | 'lost' | 'timeout' | 'aborted' | 'busy' | 'certificate' | 'unsuitable';

/** The only error the SMTP client's inner parts throw for what a network or server does; never leaves the provider. */
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
