import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import type { DescribedInterface, DescribedOperation } from './openapi-interface';
import { shown, type Wire, type WireAnswer } from './exchange';
import type { ResourceIds, PathParameters } from './resource-ids';
import type { Probe, Requests } from './requests';
import { faultsOf, parsed } from './verdict';

/** Generated requests per requested one until one succeeds: a schema does not contain every rule of a service. */
const TRIES_MAX = 12;
/** Requests for a message that may not be visible yet. */
const POLLS_MAX = 10;
/** Requests printed after the product ended, since the last one need not be the cause. */
const LATEST_SHOWN = 5;
/** Time limit per operation, whatever the number of runs; only a product that does not answer reaches it. */
const OPERATION_MS_MAX = 120_000;

export interface ProberOptions {
  readonly described: DescribedInterface;
  readonly wire: Wire;
  readonly ids: ResourceIds;
  readonly requests: Requests;
  readonly authorization: string;
  /** Text of another workspace; no answer may contain it. */
  readonly secret: string;
  readonly isRunning: () => boolean;
}

export interface Runs {
  readonly seed: number;
  readonly count: number;
}

/** Requests the operations of a described interface and checks every answer. */
export class Prober {
  /** Ids of operations with a successful answer. */
  readonly succeeded = new Set<string>();
  private readonly statuses = new Map<number, number>();
  /** The last requests; none is added after the product ended. */
  private latest: string[] = [];

  constructor(private readonly options: ProberOptions) {}

  /** Counts of answers by status. */
  get statusCounts(): Record<number, number> {
    return Object.fromEntries(this.statuses); // in ascending order, as integer keys are
  }

  /**
   * Sends `count` valid requests, and more until one succeeds, `triesMax` at most; later requests use the created resources. Resolves
   * with the faults of the answers.
   */
  async make(
    operation: DescribedOperation,
    { seed, count, triesMax = TRIES_MAX * count }: Runs & { triesMax?: number },
  ): Promise<string[]> {
    const probes = fc.sample(this.options.requests.valid(operation), { seed, numRuns: triesMax });
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

  /** Sends hostile requests; resolves with the faults of the smallest failing one, or none. */
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
    if (answer.text.includes(secret)) faults.push('the answer contains data of another workspace');
    if (answer.status < 400) this.learn(operation, probe, answer);
    else if (!isDeepStrictEqual(before, await this.state(operation, probe))) faults.push('was refused, but changed the resource');
    if (faults.length > 0) throw new Error(`${shown(probe.request)}\n    ${answer.status}: ${faults.join('; ')}`);
  }

  /** Retries 503 with `Retry-After` for messages: one accepted a moment ago may not be visible yet. */
  private async answerTo({ path }: DescribedOperation, request: Probe['request']): Promise<WireAnswer> {
    let answer = await this.options.wire.send(request);
    for (let polls = 1; polls < POLLS_MAX && OF_A_MESSAGE.test(path) && isNotVisibleYet(answer); polls++) {
      answer = await this.options.wire.send(request);
    }
    return answer;
  }

  /** State of a written resource, where the document has a GET at the same path. */
  private async state(operation: DescribedOperation, { resource }: Probe): Promise<unknown> {
    const { described, authorization } = this.options;
    const { method, path } = operation;
    const read = method !== 'GET' && described.operations.some((one) => one.method === 'GET' && one.path === path && !one.notServed);
    if (!read) return undefined;
    const { status, text } = await this.answerTo(operation, { method: 'GET', target: resource, headers: { authorization } });
    return { status, body: parsed(text.replaceAll(LAST_USE, '')) };
  }

  private learn(operation: DescribedOperation, { resource, foreign }: Probe, { text }: WireAnswer): void {
    if (foreign) return;
    const { described, ids } = this.options;
    this.succeeded.add(operation.id);
    const parameters = parametersIn(operation.path, resource);
    for (const [name, value] of Object.entries(parameters)) ids.add(name, value);
    ids.addPathParameters(parameters);
    const item = described.operations
      .find(({ path }) => path.startsWith(operation.path) && /^\/\{\w+\}$/.test(path.slice(operation.path.length)))
      ?.pathParameters.at(-1)?.name;
    const items = ids.harvest(parsed(text), item);
    if (item !== undefined) for (const id of items) ids.addPathParameters({ ...parameters, [item]: id });
  }
}

/** Of an API key: each request is a use. */
const LAST_USE = /,"last_used_at":"[^"]*"/g;

const OF_A_MESSAGE = /\{(?:message|request)_id\}/;

function isNotVisibleYet({ status, headers }: WireAnswer): boolean {
  return status === 503 && headers['retry-after'] !== undefined;
}

/** Decoded parameters of a path. */
function parametersIn(path: string, resource: string): PathParameters {
  const texts = resource.split('/');
  const named = path.split('/').flatMap((part, index) => (part.startsWith('{') ? [[part.slice(1, -1), texts[index]!] as const] : []));
  return Object.fromEntries(named.map(([name, text]) => [name, decodeURIComponent(text)]));
}
