import type { LoggerService } from '@nestjs/common';
import { currentIds } from '@tidings/tracing/work-ids';
import { traceIdOf } from '@tidings/tracing/trace-context';
import { type Logger as PinoLogger, pino } from 'pino';
import type { LogLevel } from './environment-values';
import { toLine } from './log-lines';
import { redact, redactText } from './redact';

export interface LoggerOptions {
  /** Name of the process, in every line. */
  process: string;
  level?: LogLevel;
  /** `json`: one object a line, for machines. `lines`: for people. Default: lines on a terminal. */
  format?: 'json' | 'lines';
  /** Receives the lines. Default: the process's standard output. */
  destination?: { write(line: string): unknown };
}

/** Contexts of the framework's start messages, logged at level debug. */
const FRAMEWORK_CONTEXTS = new Set([
  'InstanceLoader',
  'NestFactory',
  'NestMicroservice',
  'NestApplication',
  'RoutesResolver',
  'RouterExplorer',
]);

/**
 * The log of a process, usable as Nest's logger: `new Logger('Router').log('text')`, and with fields
 * `logger.warn({ message: 'text', messageId, attempt })`, `logger.error('text', error)`. Fields named like secrets are redacted. Lines
 * have the ids of the work at hand (docs/tracing.md).
 */
export class ProcessLogger implements LoggerService {
  readonly fatal = this.writer('fatal');
  readonly error = this.writer('error');
  readonly warn = this.writer('warn');
  readonly debug = this.writer('debug');
  readonly verbose = this.writer('trace');

  private constructor(private readonly pino: PinoLogger) {}

  static create({ process: name, level = 'info', format, destination = process.stdout }: LoggerOptions) {
    const lines = (format ?? (process.stdout.isTTY ? 'lines' : 'json')) === 'lines';
    return new ProcessLogger(
      pino(
        {
          level,
          base: { process: name },
          messageKey: 'message',
          timestamp: pino.stdTimeFunctions.isoTime,
          formatters: { level: (label) => ({ level: label }), log: (fields) => redact(fields) as Record<string, unknown> },
        },
        lines ? { write: (line: string) => void destination.write(toLine(line)) } : destination,
      ),
    );
  }

  log(message: unknown, ...rest: unknown[]) {
    const context = rest.at(-1);
    this.write(typeof context === 'string' && FRAMEWORK_CONTEXTS.has(context) ? 'debug' : 'info', message, rest);
  }

  private writer(level: LogLevel): (message: unknown, ...rest: unknown[]) => void {
    return (message, ...rest) => this.write(level, message, rest);
  }

  /** Nest's convention: the last string is the context, a string with stack lines before it is a stack. */
  private write(level: LogLevel, message: unknown, rest: unknown[]) {
    if (!this.pino.isLevelEnabled(level)) return;
    const fields: Record<string, unknown> = idFields();
    const parts = [...rest];
    if (typeof parts.at(-1) === 'string' && !isStack(parts.at(-1))) fields.context = parts.pop();

    let words: string | undefined;
    for (const part of [message, ...parts]) {
      if (part instanceof Error) fields.error = part;
      else if (isStack(part)) fields.stack = part;
      else if (typeof part === 'object' && part !== null) Object.assign(fields, part);
      else if (part !== undefined) words = [words, plain(part)].filter((word) => word !== undefined).join(' ');
    }
    // pino names it `err`; one name for both, so that the stack is printed below the line and not in it.
    const { err, ...others } = fields;
    const entry = err instanceof Error && !fields.error ? { ...others, error: err } : fields;
    words ??= extractMessage(entry);
    this.pino[level](entry, redactText(words));
  }
}

/** The ids of the work at hand, as fields of a line. */
function idFields() {
  const ids = currentIds();
  if (!ids) return {};
  const { trace, requestId, messageId, workspaceId } = ids;
  return { traceId: trace && traceIdOf(trace), requestId, messageId, workspaceId };
}

const isStack = (part: unknown): part is string => typeof part === 'string' && /\n\s+at /.test(part);

/** A primitive value as a word of the message. */
function plain(part: unknown) {
  if (typeof part === 'string') return part;
  return typeof part === 'bigint' ? part.toString() : String(JSON.stringify(part));
}

function extractMessage(fields: Record<string, unknown>) {
  const { message, error } = fields;
  delete fields.message;
  if (typeof message === 'string') return message;
  return error instanceof Error ? error.message : '';
}
