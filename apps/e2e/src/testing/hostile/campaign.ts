import type { DescribedInterface, DescribedOperation } from './described';
import type { Prober } from './prober';
import type { Length } from './settings';

/** Requests that make again what was deleted. */
const MADE_AGAIN = 2;
/** Some things can only be done when what others make is there; a few when they are there together, by chance. */
const ROUNDS = 2;

const ORDER = ['PUT', 'POST', 'PATCH', 'GET', 'DELETE'];
const segments = ({ path }: DescribedOperation): number => path.split('/').length;
const isMaker = ({ method }: DescribedOperation): boolean => method === 'PUT' || method === 'POST';
const isRemoval = ({ method }: DescribedOperation): boolean => method === 'DELETE';
const nameOf = ({ method, path }: DescribedOperation): string => `${method} ${path}`;

/** Looks whether the system is as it should be; returns what is not. */
export type Inspection = () => Promise<readonly string[]>;

/** Drives every operation of a described interface, in an order in which there is something to do for each. Returns faults. */
export class Campaign {
  readonly served: readonly DescribedOperation[];
  private readonly notServed: readonly DescribedOperation[];

  constructor(
    { operations }: DescribedInterface,
    private readonly prober: Prober,
    private readonly options: { readonly seed: number } & Pick<Length, 'made' | 'roundsMax'>,
    /** After each operation, so that a fault is found beside its cause. */
    private readonly inspect: Inspection,
  ) {
    this.served = operations.filter(({ notServed }) => !notServed).sort(byUse);
    this.notServed = operations.filter(({ notServed }) => notServed);
  }

  /** Operations that never succeeded: nothing is known of their answers. */
  get neverDone(): string[] {
    return this.served.filter(({ id }) => !this.prober.succeeded.has(id)).map(nameOf);
  }

  /** Valid requests to every operation. */
  async makeAll(): Promise<string[]> {
    const faults: string[] = [];
    for (let round = 0; round < ROUNDS || (round < this.options.roundsMax && this.neverDone.length > 0); round += 1) {
      for (const operation of this.served) {
        if (isRemoval(operation)) await this.makeWhatItNeeds(operation);
        faults.push(...(await this.prober.make(operation, { seed: this.options.seed + round, count: this.options.made })));
      }
    }
    return [...faults, ...(await this.inspected())];
  }

  /** `count` hostile requests to every operation. */
  async attackServed(count: number): Promise<string[]> {
    const faults: string[] = [];
    for (const operation of this.served) {
      await this.makeWhatItNeeds(operation);
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
    return [...faults, ...consequences.map((what) => `after requests to ${nameOf(operation)}: ${what}`)];
  }

  /** A system that cannot be looked at any more has a fault of its own, and hides none of those before. */
  private async inspected(): Promise<readonly string[]> {
    return this.inspect().catch((error: Error) => [`the system could not be inspected: ${error.message}`]);
  }

  /** Earlier requests may have deleted it. What is wrong with the answers was said when it was made first. */
  private async makeWhatItNeeds({ path }: DescribedOperation): Promise<void> {
    const makers = this.served.filter((one) => isMaker(one) && `${path}/`.startsWith(`${one.path}/`));
    for (const maker of makers) await this.prober.make(maker, { seed: this.options.seed, count: MADE_AGAIN });
  }
}

/** What others are part of is made before them, and deleted after them, when everything else is done. */
function byUse(one: DescribedOperation, other: DescribedOperation): number {
  const removalsLast = Number(isRemoval(one)) - Number(isRemoval(other));
  const outerFirst = segments(one) - segments(other);
  return removalsLast || (isRemoval(one) ? -outerFirst : outerFirst) || ORDER.indexOf(one.method) - ORDER.indexOf(other.method);
}
