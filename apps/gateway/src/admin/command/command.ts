import type { AdminClient } from './admin-client';

/** The parsed arguments of a command: options and positional words. */
export interface Arguments {
  options: Readonly<Record<string, string | boolean | (string | boolean)[] | undefined>>;
  words: readonly string[];
}

/** A command for operators. */
export interface Command {
  /**
   * The arguments after the command's name, for the help and for the parser: words, then options, those that may be absent each in
   * brackets. An option has a value if one follows its name, and can be repeated if `…` follows the value.
   */
  usage: string;
  meaning: string;
  /**
   * Runs the command; resolves with lines for people, and the same as data.
   * `failed` makes the command end with 1 after it printed them.
   * @param note prints a line for people while it runs. @param input the standard input.
   */
  run(
    client: AdminClient,
    args: Arguments,
    note: (line: string) => void,
    input: AsyncIterable<Buffer>,
  ): Promise<{ lines: string[]; data: unknown; failed?: boolean }>;
}
