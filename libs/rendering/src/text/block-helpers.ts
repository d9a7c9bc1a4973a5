import type { BlockCall, BlockHelper } from './helper';
import type { LoopData } from './frame';
import { assertLength } from '../render-budget';
import { isFilled } from './value-text';

/** Maximum iterations of one `each`. */
const LOOP_ITERATIONS_MAX = 100_000;

/** `{{#if}}`: with `includeZero=true` 0 counts as true. */
const ifHelper: BlockHelper = ([condition], call) => {
  const isTrue = isFilled(condition) || (condition === 0 && call.hash.includeZero === true);
  return (isTrue ? call.body : call.otherwise)(call.frame);
};

const unlessHelper: BlockHelper = (args, call) => ifHelper(args, { ...call, body: call.otherwise, otherwise: call.body });

/** `{{#with value as |name|}}`: the value is `this` inside, unless it is empty. */
const withHelper: BlockHelper = ([value], call) => {
  if (!isFilled(value) && value !== 0) return call.otherwise(call.frame);
  return call.body(inner(call, value, call.frame.loop, [value]));
};

/** `{{#each list as |item index|}}`, over lists and objects; `@index`, `@key`, `@first`, `@last`. */
const eachHelper: BlockHelper = ([items], call) => {
  const { frame, body, otherwise } = call;
  if (typeof items !== 'object' || items === null) return otherwise(frame);
  const keys = Array.isArray(items) ? undefined : Object.keys(items);
  const values: readonly unknown[] = Object.values(items);
  if (values.length === 0) return otherwise(frame);
  if (values.length > LOOP_ITERATIONS_MAX) throw new Error(`accepts at most ${LOOP_ITERATIONS_MAX} items (got ${values.length})`);
  let text = '';
  for (const [index, value] of values.entries()) {
    frame.run.budget.spend(1);
    const key = keys ? keys[index] : index;
    const loop = { values: { index, key, first: index === 0, last: index === values.length - 1 }, parent: frame.loop };
    text += body(inner(call, value, loop, [value, key]));
    assertLength(text.length);
  }
  return text;
};

function inner({ frame, blockParams }: BlockCall, self: unknown, loop: LoopData | undefined, params: readonly unknown[]) {
  let { names } = frame;
  const { run, partials, block } = frame;
  if (blockParams.length > 0) {
    const own: Record<string, unknown> = Object.assign(Object.create(null) as object, names);
    for (const [i, name] of blockParams.entries()) own[name] = params[i];
    names = own;
  }
  // As in Handlebars, re-entering the current value adds no level for `../`.
  const parent = self === frame.self ? frame.parent : frame;
  return { run, self, parent, loop, names, partials, block };
}

/** `{{#name}}` without a helper of that name: loops over a list, enters an object, else is a condition. */
export function chooseBlock(value: unknown, call: BlockCall): string {
  if (Array.isArray(value)) return eachHelper([value], call);
  if (value === undefined || value === null || value === false) return call.otherwise(call.frame);
  return call.body(value === true ? call.frame : inner(call, value, call.frame.loop, []));
}

/** `{{#trim}}…{{/trim}}`: the block's text without the space around it. */
const trimmed =
  (trim: (text: string) => string): BlockHelper =>
  (_args, { frame, body }) =>
    trim(body(frame));

/** Helpers with a block; the block of any other helper is written by the truth of its value. */
export const blockHelpers: ReadonlyMap<string, BlockHelper> = new Map([
  ['if', ifHelper],
  ['unless', unlessHelper],
  ['with', withHelper],
  ['each', eachHelper],
  ['trim', trimmed((text) => text.trim())],
  ['trim-left', trimmed((text) => text.trimStart())],
  ['trim-right', trimmed((text) => text.trimEnd())],
]);
