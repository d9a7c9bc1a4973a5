import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { DescribedInterface, DescribedOperation } from './described';
import { shown, type Wire, type WireAnswer } from './exchange';
import type { KnownIds, Place } from './known-ids';
import type { Probe, Requests } from './requests';
import { faultsOf, parsed } from './verdict';

/** How many are tried for each that is wanted, until one is not refused: a schema cannot say everything that a service asks. */
const TRIES_MAX = 12;
/** How often is asked of a message of which nobody can say yet whether there is one. */
const LOOKS_MAX = 10;
/** Of a product that ended: the very last one may have been sent before that was known. */
const LATEST_SHOWN = 5;
/** After this an operation is left, however many runs were asked for: only a product that hangs takes so long. */
const OPERATION_MS_MAX = 120_000;

export interface ProberOptions {
  readonly described: DescribedInterface;
  readonly wire: Wire;
  readonly ids: KnownIds;
  readonly requests: Requests;
  readonly authorization: string;
  /** Text that stands in another workspace alone: no answer may hold it. */
  readonly secret: string;
  readonly isRunning: () => boolean;
}

export interface Runs {
  readonly seed: number;
  readonly count: number;
}

/** Drives the operations of a described interface, and judges every answer. */
export class Prober {
  /** Operations that were done at least once, by id. */
  readonly succeeded = new Set<string>();
  private readonly statuses = new Map<number, number>();
  /** No more are added once the product ended: one of them did it. */
  private latest: string[] = [];

  constructor(private readonly options: ProberOptions) {}

  /** How often each status was answered. */
  get statusCounts(): Record<number, number> {
    return Object.fromEntries(this.statuses); // in ascending order, as integer keys are
  }

  /**
   * Valid requests alone, `count` of them, and more until one was taken at all: what they make exists from then on, for the
   * requests that follow. Returns what was wrong with the answers.
   */
  async make(operation: DescribedOperation, { seed, count }: Runs): Promise<string[]> {
    const probes = fc.sample(this.options.requests.valid(operation), { seed, numRuns: TRIES_MAX * count });
    const faults: string[] = [];
    for (const [index, probe] of probes.entries()) {
      if (index >= count && this.succeeded.has(operation.id)) break;
      try {
        await this.probe(operation, probe);
      } catch (error) {
        faults.push((error as Error).message);
      }
    }
    return faults;
  }

  /** Hostile requests; returns what was wrong with the smallest that met a fault, or nothing. */
  async attack(operation: DescribedOperation, { seed, count }: Runs): Promise<string[]> {
    const property = fc.asyncProperty(this.options.requests.hostile(operation), (probe) => this.probe(operation, probe));
    const outcome = await fc.check(property, { seed, numRuns: count, interruptAfterTimeLimit: OPERATION_MS_MAX });
    if (!outcome.failed) return [];
    const error = outcome.errorInstance as Error | null;
    return [`${error?.message ?? 'interrupted'} [SEED=${seed}, path ${outcome.counterexamplePath}]`];
  }

  private async probe(operation: DescribedOperation, probe: Probe): Promise<void> {
    const { described, secret, isRunning } = this.options;
    if (!isRunning()) throw new Error(`The product no longer runs. Its last requests:\n${this.latest.join('\n')}`);
    this.latest = [...this.latest.slice(1 - LATEST_SHOWN), shown(probe.request)];
    const before = await this.state(operation, probe);
    const answer = await this.answerTo(operation, probe.request).catch((error: Error) => {
      throw new Error(`${shown(probe.request)}\n    no answer: ${error.message}`, { cause: error });
    });
    this.statuses.set(answer.status, (this.statuses.get(answer.status) ?? 0) + 1);
    const faults = faultsOf(described, { operation, answer, foreign: probe.foreign });
    if (answer.text.includes(secret)) faults.push('the answer holds what is of another workspace');
    if (answer.status < 400) this.learn(operation, probe, answer);
    else if (!isDeepStrictEqual(before, await this.state(operation, probe)))
      faults.push('was refused, and changed the resource all the same');
    if (faults.length > 0) throw new Error(`${shown(probe.request)}\n    ${answer.status}: ${faults.join('; ')}`);
  }

  /** Of a message that was accepted a moment ago it may be that nobody can say yet: it is asked again then, as a client is told to. */
  private async answerTo({ path }: DescribedOperation, request: Probe['request']): Promise<WireAnswer> {
    let answer = await this.options.wire.send(request);
    for (let looks = 1; looks < LOOKS_MAX && OF_A_MESSAGE.test(path) && isNotKnownYet(answer); looks++) {
      answer = await this.options.wire.send(request);
    }
    return answer;
  }

  /** The resource that a write is about, where the document has a read of it at the same path. */
  private async state(operation: DescribedOperation, { resource }: Probe): Promise<unknown> {
    const { described, authorization } = this.options;
    const { method, path } = operation;
    const read = method !== 'GET' && described.operations.some((one) => one.method === 'GET' && one.path === path && !one.notServed);
    if (!read) return undefined;
    const { status, text } = await this.answerTo(operation, { method: 'GET', target: resource, headers: { authorization } });
    return { status, body: parsed(text) };
  }

  private learn(operation: DescribedOperation, { resource, foreign }: Probe, { text }: WireAnswer): void {
    if (foreign) return;
    const { described, ids } = this.options;
    this.succeeded.add(operation.id);
    const place = placeIn(operation.path, resource);
    for (const [name, value] of Object.entries(place)) ids.add(name, value);
    ids.addPlace(place);
    const item = described.operations
      .find(({ path }) => path.startsWith(operation.path) && /^\/\{\w+\}$/.test(path.slice(operation.path.length)))
      ?.pathParameters.at(-1)?.name;
    const items = ids.harvest(parsed(text), item);
    if (item !== undefined) for (const id of items) ids.addPlace({ ...place, [item]: id });
  }
}

const OF_A_MESSAGE = /\{(?:message|request)_id\}/;

function isNotKnownYet({ status, headers }: WireAnswer): boolean {
  return status === 503 && headers['retry-after'] !== undefined;
}

/** What stands for the parameters of a path, decoded. */
function placeIn(path: string, resource: string): Place {
  const texts = resource.split('/');
  const named = path.split('/').flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), texts[index]!] as const] : []));
  return Object.fromEntries(named.map(([name, text]) => [name, decodeURIComponent(text)]));
}
