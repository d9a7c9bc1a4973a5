import path from 'node:path';

const ROOT = path.resolve(__dirname, '../../../..');
/** A source of the product; specs and their helpers are none. */
const SOURCE = /^(?:apps|libs)\/[^/]+\/src\/(?!testing\/)(?!.*\.(?:spec|fixture|contract)\.ts$)/;
const FRAMES_MAX = 200;

type Method = (this: unknown, ...args: unknown[]) => unknown;

/** A call of an observed method that had the text in hand. */
export interface ObservedCall {
  method: string;
  /** Callers, the nearest first, across `await`: see `callers`. */
  callers: Caller[];
}

export interface Caller {
  /** From the root of the tree. */
  file: string;
  functions: string[];
}

/** Observes methods, and records the calls with a text in their arguments, or in the values of the generator that they return. */
export class CallChains {
  readonly calls: ObservedCall[] = [];
  private readonly originals: (() => void)[] = [];

  /** @param text in what is recorded. */
  constructor(private readonly text: string) {}

  observe(owner: object, name: string, method = name): void {
    const methods = owner as Record<string, Method>;
    const original = methods[name]!;
    const note = (callers: Caller[]) => void this.calls.push({ method, callers });
    const { text } = this;
    methods[name] = function (...args) {
      if (mentions(args, text)) note(callersNow());
      const result = original.apply(this, args);
      return isGenerator(result) ? noting(result, text, note) : result;
    };
    this.originals.push(() => (methods[name] = original));
  }

  restore(): void {
    for (const restore of this.originals.splice(0)) restore();
  }
}

function isGenerator(value: unknown): value is AsyncGenerator {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value;
}

/** The generator; a value with the text is noted with the callers of its `next`. */
function noting(generator: AsyncGenerator, text: string, note: (callers: Caller[]) => void): AsyncGenerator {
  const next = generator.next.bind(generator);
  generator.next = async () => {
    const callers = callersNow();
    const result = await next();
    if (mentions(result.value, text)) note(callers);
    return result;
  };
  return generator;
}

/**
 * The files of the product on the stack, the nearest caller first, one entry for neighbouring frames of one file. A helper that calls back
 * into the file that called it (a limit of time, a lock) is left out.
 */
function callersNow(): Caller[] {
  const { prepareStackTrace, stackTraceLimit } = Error;
  Error.stackTraceLimit = FRAMES_MAX;
  Error.prepareStackTrace = (_, sites) => sites;
  const sites = new Error().stack as unknown as NodeJS.CallSite[];
  Object.assign(Error, { prepareStackTrace, stackTraceLimit });
  const callers: Caller[] = [];
  for (const site of sites) {
    const file = path.relative(ROOT, site.getFileName() ?? '');
    if (!SOURCE.test(file)) continue;
    if (callers.at(-2)?.file === file) callers.pop();
    if (callers.at(-1)?.file !== file) callers.push({ file, functions: [] });
    callers.at(-1)!.functions.push(site.getFunctionName() ?? '');
  }
  return callers;
}

function mentions(value: unknown, text: string, seen = new Set<unknown>()): boolean {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value.includes(text);
  if (typeof value !== 'object' || value === null || seen.has(value)) return false;
  seen.add(value);
  const parts: unknown[] = value instanceof Map || value instanceof Set ? [...value.values()] : Object.values(value);
  return parts.some((part) => mentions(part, text, seen));
}
