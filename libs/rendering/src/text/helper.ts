import type { Values } from '../scope';
import type { Frame, Writer } from './frame';
import { toText } from './value-text';

/** A helper of the inline kind: a function of its arguments. Throws an `Error` whose message completes “<name> …”. */
export type Helper = (args: readonly unknown[], frame: Frame, hash: Values) => unknown;

export type Helpers = Readonly<Record<string, Helper>>;

/** A call of a helper with a block. */
export interface BlockCall {
  readonly frame: Frame;
  readonly hash: Values;
  readonly body: Writer;
  /** The block of `{{else}}`; writes nothing without one. */
  readonly otherwise: Writer;
  /** Names of `as |a b|`. */
  readonly blockParams: readonly string[];
}

/** A helper with a block: decides which of its blocks are written, how often, and with which names. */
export type BlockHelper = (args: readonly unknown[], call: BlockCall) => string;

/** An argument as text; spends its cost. */
export function textOf(value: unknown, { run }: Frame): string {
  const text = toText(value) ?? '';
  run.budget.spendChars(text.length);
  return text;
}

/** A value in an error message, cut. */
export function shown(value: unknown): string {
  return value === undefined ? 'nothing' : (JSON.stringify(value) ?? typeof value).slice(0, 100);
}
