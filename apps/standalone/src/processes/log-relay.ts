import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { toLine } from '@tidings/runtime/log-lines';

/** Cyan, yellow, green, magenta, blue, red: one for each process, in the order they come. */
const COLOURS = [36, 33, 32, 35, 34, 31];

interface LogRelayOptions {
  /** Widest name, so that all lines begin in one column. */
  width: number;
  coloured: boolean;
  write(text: string): unknown;
}

/** Brings the logs of several processes into one, each line behind the name of its process. */
export class LogRelay {
  private readonly colours = new Map<string, number>();

  constructor(private readonly options: LogRelayOptions) {}

  /** Relays what a process says, its JSON log as people read it, until it says no more. */
  follow(name: string, stream: Readable): void {
    const lines = createInterface({ input: stream, crlfDelay: Infinity });
    lines.on('line', (line) => this.say(name, readable(line)));
    lines.on('error', () => undefined); // it ended in the middle of a word
  }

  /** Every line of `text` behind the name. */
  say(name: string, text: string): void {
    const prefix = this.prefixOf(name);
    const lines = text.replace(/\n$/, '').split('\n');
    this.options.write(lines.map((line) => `${prefix}${line}\n`).join(''));
  }

  private prefixOf(name: string): string {
    const prefix = `${name.padEnd(this.options.width)} | `;
    if (!this.options.coloured) return prefix;
    const colour = this.colours.get(name) ?? COLOURS[this.colours.size % COLOURS.length]!;
    this.colours.set(name, colour);
    return `\u001b[${colour}m${prefix}\u001b[0m`;
  }
}

/** What is no line of our log (the words of a fault, of Node itself) stays as it is. */
function readable(line: string): string {
  if (!line.startsWith('{')) return line;
  try {
    return toLine(line);
  } catch {
    return line;
  }
}
