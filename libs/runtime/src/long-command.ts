import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';

/** Least time between two lines of progress, and between two writes of a state file, in ms. */
const INTERVAL_MS = 1_000;

/** Prints how far a long command is, on standard error: at most a line a second. */
export class ProgressLines {
  private printedAt = -Infinity;

  constructor(private readonly print: (line: string) => void = (line) => process.stderr.write(`${line}\n`)) {}

  /** @param line is called where it is time for one. */
  note(line: () => string): void {
    const now = performance.now();
    if (now - this.printedAt < INTERVAL_MS) return;
    this.printedAt = now;
    this.print(line());
  }

  /** Prints a line in any case. */
  say(line: string): void {
    this.print(line);
  }
}

/**
 * The file in which a long command notes how far it is, so that another run continues there. A file is replaced as a whole: a killed
 * process leaves the last state or the one before.
 */
export class StateFile<State extends object> {
  private savedAt = -Infinity;

  /**
   * @param file absent: nothing is noted.
   * @param command the command line that a state belongs to.
   */
  constructor(
    private readonly file: string | undefined,
    private readonly command: string,
  ) {}

  /** Whether a state is noted at all. */
  get exists(): boolean {
    return this.file !== undefined;
  }

  /** The state of an earlier run; undefined where there is none. @throws Error for a file of another command, or of none */
  read(): State | undefined {
    if (this.file === undefined) return undefined;
    let text: string;
    try {
      text = readFileSync(this.file, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`The state file ${this.file} cannot be read: ${(error as Error).message}`, { cause: error });
    }
    const { command, state } = this.parse(text);
    if (command === this.command) return state;
    throw new Error(`The state file ${this.file} belongs to "${command}", not to "${this.command}": give another file, or remove it`);
  }

  /** Writes the state, where a second has passed since the last time. @param make is called where it is written. */
  note(make: () => State): void {
    if (performance.now() - this.savedAt >= INTERVAL_MS) this.save(make());
  }

  save(state: State): void {
    if (this.file === undefined) return;
    this.savedAt = performance.now();
    const next = `${this.file}.next`;
    writeFileSync(next, JSON.stringify({ command: this.command, state }), { mode: 0o600 });
    renameSync(next, this.file);
  }

  /** The command is complete. */
  remove(): void {
    if (this.file !== undefined) rmSync(this.file, { force: true });
  }

  private parse(text: string) {
    try {
      const { command, state } = JSON.parse(text) as { command: string; state: State };
      if (typeof command === 'string' && state) return { command, state };
    } catch {
      // As any other file.
    }
    throw new Error(`${this.file} is no state file of a command: give another file`);
  }
}
