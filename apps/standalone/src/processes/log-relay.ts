import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { toLine } from '@tidings/runtime/log-lines';

/** Cyan, yellow, green, magenta, blue, red: one for each process, in the order of their first lines. */
const COLOURS = [36, 33, 32, 35, 34, 31];

interface LogRelayOptions {
  /** Widest name, so that all lines begin in one column. */
  width: number;
  coloured: boolean;
  write(text: string): unknown;
}

/** Merges the logs of several processes, each line prefixed with the name of its process. */
export class LogRelay {
  private readonly colours = new Map<string, number>();

  constructor(private readonly options: LogRelayOptions) {}

  /** Relays the output of a process until it ends; JSON log entries become readable lines. */
  follow(name: string, stream: Readable) {
    const lines = createInterface({ input: stream, crlfDelay: Infinity });
    lines.on('line', (line) => this.write(name, readable(line)));
    lines.on('error', () => undefined); // the stream broke off
  }

  /** Writes every line of `text`, prefixed with the name. */
  write(name: string, text: string) {
    const prefix = this.prefixOf(name);
    const lines = text.replace(/\n$/, '').split('\n');
    this.options.write(lines.map((line) => `${prefix}${line}\n`).join(''));
  }

  private prefixOf(name: string) {
    const prefix = `${name.padEnd(this.options.width)} | `;
    if (!this.options.coloured) return prefix;
    const colour = this.colours.get(name) ?? COLOURS[this.colours.size % COLOURS.length]!;
    this.colours.set(name, colour);
    return `\u001b[${colour}m${prefix}\u001b[0m`;
  }
}

/** Lines that are not log entries (stack traces, output of Node) are not changed. */
function readable(line: string) {
  if (!line.startsWith('{')) return line;
  try {
    return toLine(line);
  } catch {
    return line;
  }
}
