import { setTimeout as delay } from 'node:timers/promises';
import type { EventDefinition } from '@tidings/contracts/core/event';
import { waitUntil } from '@tidings/testing/wait-until';
import type { EventLog, EventRecord } from '../event-log';
import { type Step, step, upTo } from '../spec-events.fixture';

const RETRY_MS = 20;
/** Between two events of a run, so that the load leaves CPU time for the cluster. */
const PAUSE_MS = 2;
const SETTLED_MS_MAX = 60_000;

/** Callers that each append the steps of a run one after another, and retry a failed step under the same id. */
export class Load {
  /** How many steps of each run the log has acknowledged. */
  readonly acknowledged = new Map<string, number>();
  /** How often a call failed, by error code. */
  readonly failures: Record<string, number> = {};
  /** The longest that one event took to be acknowledged. */
  longestMs = 0;
  private stopping = false;
  private readonly working: Promise<void>;

  constructor(
    private readonly log: EventLog,
    private readonly topic: EventDefinition<Step>,
    private readonly options: { runs: number; deadlineMs?: number; prefix?: string },
  ) {
    this.working = Promise.all(upTo(options.runs).map((run) => this.work(`${options.prefix ?? 'run'}${run}`))).then(() => undefined);
  }

  get total(): number {
    return [...this.acknowledged.values()].reduce((sum, count) => sum + count, 0);
  }

  /** Resolves when every started append is acknowledged. */
  async stop(): Promise<void> {
    this.stopping = true;
    await this.working;
  }

  private async work(run: string): Promise<void> {
    this.acknowledged.set(run, 0);
    for (let number = 1; !this.stopping; number++) {
      const event = step(run, number);
      const startedAt = performance.now();
      while (!(await this.tryAppend(event))) await delay(RETRY_MS);
      this.longestMs = Math.max(this.longestMs, performance.now() - startedAt);
      this.acknowledged.set(run, number);
      await delay(PAUSE_MS);
    }
  }

  private async tryAppend(event: ReturnType<typeof step>): Promise<boolean> {
    try {
      await this.log.append(this.topic, [event], { deadlineMs: this.options.deadlineMs });
      return true;
    } catch (error) {
      const { code } = error as { code?: string };
      this.failures[code ?? String(error)] = (this.failures[code ?? String(error)] ?? 0) + 1;
      return false;
    }
  }
}

/** Handled records: the first handling of each, by run and in order, and the number of repetitions. */
export class Handled {
  readonly firsts = new Map<string, number[]>();
  again = 0;
  batches = 0;
  /** How often a subscription's handler was called before its previous call had ended. */
  overlapping = 0;
  private readonly seen = new Set<string>();

  /** A handler for one subscription. */
  handler(workMs = 0): (batch: readonly EventRecord<Step>[]) => Promise<void> {
    let atWork = 0;
    return async (batch) => {
      atWork += 1;
      if (atWork > 1) this.overlapping += 1;
      if (workMs > 0) await delay(workMs);
      this.note(batch);
      atWork -= 1;
    };
  }

  note(batch: readonly EventRecord<Step>[]): void {
    this.batches += 1;
    for (const { id, payload } of batch) {
      const { runId, number } = payload!;
      if (this.seen.has(id)) {
        this.again += 1;
        continue;
      }
      this.seen.add(id);
      const firsts = this.firsts.get(runId);
      if (firsts) firsts.push(number);
      else this.firsts.set(runId, [number]);
    }
  }

  get total(): number {
    return this.seen.size;
  }

  /** Waits until everything acknowledged is handled, and checks that each run was handled completely and in order. */
  async expectAll({ acknowledged, total }: Load): Promise<void> {
    const complete = (): boolean => [...acknowledged].every(([run, count]) => (this.firsts.get(run)?.length ?? 0) >= count);
    await waitUntil(complete, { what: `${total} records to be handled`, timeoutMs: SETTLED_MS_MAX, intervalMs: 50 });
    for (const [run, count] of acknowledged) expect([run, this.firsts.get(run) ?? []]).toEqual([run, upTo(count)]);
  }
}

/** Prints the counts of a scenario. */
export function report(scenario: string, counts: Record<string, unknown>): void {
  process.stderr.write(
    `${scenario}: ${Object.entries(counts)
      .map(([name, value]) => `${name} ${JSON.stringify(value)}`)
      .join(', ')}\n`,
  );
}
