import type { Frame, Run, Writer } from './frame';
import { toText } from './value-text';

/** Context of a helper call. */
export interface HelperCall {
  readonly run: Run;
  readonly frame: Frame;
  readonly hash: Readonly<Record<string, unknown>>;
}

/** A helper of the inline kind: a function of its arguments. Throws an `Error` whose message completes “<name> …”. */
export type Helper = (args: readonly unknown[], call: HelperCall) => unknown;

/** A call of a helper with a block. */
export interface BlockCall extends HelperCall {
  readonly body: Writer;
  /** The block of `{{else}}`; writes nothing without one. */
  readonly otherwise: Writer;
  /** Names of `as |a b|`. */
  readonly blockParams: readonly string[];
}

/** A helper with a block: decides which of its blocks are written, how often, and with which names. */
export type BlockHelper = (args: readonly unknown[], call: BlockCall) => string;

/** An argument as text; spends its cost. */
export function textOf(value: unknown, { run }: Pick<HelperCall, 'run'>): string {
  const text = toText(value) ?? '';
  run.budget.spendChars(text.length);
  return text;
}
