import type { DescribedInterface, DescribedOperation } from './openapi-interface';
import type { Prober } from './prober';
import type { Length } from './settings';

/** Valid requests per maker that restore deleted resources. */
const RESTORING_REQUESTS = 2;
/** Minimum of rounds: some operations need resources that others create, a few need several at the same time. */
const ROUNDS = 2;

const ORDER = ['PUT', 'POST', 'PATCH', 'GET', 'DELETE'];
const segments = ({ path }: DescribedOperation): number => path.split('/').length;
const isMaker = ({ method }: DescribedOperation): boolean => method === 'PUT' || method === 'POST';
const isRemoval = ({ method }: DescribedOperation): boolean => method === 'DELETE';
const nameOf = ({ method, path }: DescribedOperation): string => `${method} ${path}`;

/** Checks the state of the system; resolves with its faults. */
export type Inspection = () => Promise<readonly string[]>;

interface CampaignOptions extends Pick<Length, 'made' | 'roundsMax'> {
  readonly seed: number;
  /** Operations that the system refuses as it is configured, such as `POST /admin/events/skip-unverified`. */
  readonly refused?: readonly string[];
}

/** Requests every operation of a described interface, in an order in which each finds resources. Methods resolve with faults. */
export class Campaign {
  readonly served: readonly DescribedOperation[];
  private readonly notServed: readonly DescribedOperation[];

  constructor(
    { operations }: DescribedInterface,
    private readonly prober: Prober,
    private readonly options: CampaignOptions,
    /** Runs after each operation, so that a fault is reported with its cause. */
    private readonly inspect: Inspection,
  ) {
    this.served = operations.filter(({ notServed }) => !notServed).sort(byUse);
    this.notServed = operations.filter(({ notServed }) => notServed);
  }

  /** Operations without a successful answer, without those that the system refuses. */
  get neverDone(): string[] {
    return this.served.filter((one) => !this.prober.succeeded.has(one.id) && !this.isRefused(one)).map(nameOf);
  }

  private isRefused(operation: DescribedOperation): boolean {
    return this.options.refused?.includes(nameOf(operation)) ?? false;
  }

  /** Valid requests to every operation. */
  async makeAll(): Promise<string[]> {
    const faults: string[] = [];
    for (let round = 0; round < ROUNDS || (round < this.options.roundsMax && this.neverDone.length > 0); round += 1) {
      for (const operation of this.served) {
        if (isRemoval(operation)) await this.restoreParents(operation);
        const seed = this.options.seed + round;
        const made = this.isRefused(operation) ? { seed, count: 1, triesMax: 1 } : { seed, count: this.options.made };
        faults.push(...(await this.prober.make(operation, made)));
      }
    }
    return [...faults, ...(await this.inspected())];
  }

  /** `count` hostile requests to every operation. */
  async attackServed(count: number): Promise<string[]> {
    const faults: string[] = [];
    for (const operation of this.served) {
      await this.restoreParents(operation);
      faults.push(...(await this.attacked(operation, count)));
    }
    return faults;
  }

  /** `count` hostile requests to every route that is not served. */
  async attackNotServed(count: number): Promise<string[]> {
    const faults: string[] = [];
    for (const operation of this.notServed) faults.push(...(await this.prober.attack(operation, { seed: this.options.seed, count })));
    return [...faults, ...(await this.inspected())];
  }

  private async attacked(operation: DescribedOperation, count: number): Promise<string[]> {
    const faults = await this.prober.attack(operation, { seed: this.options.seed, count });
    const consequences = await this.inspected();
    return [...faults, ...consequences.map((fault) => `after requests to ${nameOf(operation)}: ${fault}`)];
  }

  /** A failed inspection is a fault itself and does not replace the earlier ones. */
  private async inspected(): Promise<readonly string[]> {
    return this.inspect().catch((error: Error) => [`the system could not be inspected: ${error.message}`]);
  }

  /** Recreates resources that earlier requests may have deleted. Faults of these answers are already reported. */
  private async restoreParents({ path }: DescribedOperation): Promise<void> {
    const makers = this.served.filter(
      (candidate) => isMaker(candidate) && !this.isRefused(candidate) && `${path}/`.startsWith(`${candidate.path}/`),
    );
    for (const maker of makers) await this.prober.make(maker, { seed: this.options.seed, count: RESTORING_REQUESTS });
  }
}

/** Creates parents before children; deletes run last, children before parents. */
function byUse(one: DescribedOperation, other: DescribedOperation): number {
  const removalsLast = Number(isRemoval(one)) - Number(isRemoval(other));
  const outerFirst = segments(one) - segments(other);
  return removalsLast || (isRemoval(one) ? -outerFirst : outerFirst) || ORDER.indexOf(one.method) - ORDER.indexOf(other.method);
}
