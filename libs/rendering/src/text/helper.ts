import type { Frame, Run, Writer } from './frame';
import { toText } from './value-text';

/** A call of a helper as it is made. */
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
  /** What stands behind `{{else}}`; writes nothing without one. */
  readonly otherwise: Writer;
  /** Names of `as |a b|`. */
  readonly blockParams: readonly string[];
}

/** A helper with a block: says which of its texts are written, how often, and with what names. */
export type BlockHelper = (args: readonly unknown[], call: BlockCall) => string;

/** An argument as text, paid for. */
export function textOf(value: unknown, { run }: Pick<HelperCall, 'run'>): string {
  const text = toText(value) ?? '';
  run.budget.spendChars(text.length);
  return text;
}
