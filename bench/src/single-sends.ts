import { setTimeout as delay } from 'node:timers/promises';
import type { Product } from './product';
import { call, createWorkspace } from './second-workspace';
import { type Percentiles, percentilesOf } from './statistics';

const INTERVAL_MS = 40;
const DELIVERED_MS_MAX = 30_000;
const POLL_MS = 50;

/** Single sends of another workspace while a bench loads the product. */
export class SingleSends {
  private running: Promise<string[]> | undefined;
  private ended = false;

  private constructor(
    private readonly product: Product,
    private readonly key: string,
  ) {}

  /** @param product started with `TIDINGS_ADMIN_KEY`. */
  static async create(product: Product): Promise<SingleSends> {
    const { key } = await createWorkspace(product, 'single-sends');
    return new SingleSends(product, key);
  }

  /** Sends one message after the other until `stop`. */
  start(): void {
    this.ended = false;
    this.running = this.send();
  }

  /** Resolves with the ms from the acceptance of each until its provider accepted it, as its record shows. @throws when one is missing */
  async stop(): Promise<Percentiles> {
    this.ended = true;
    const ages: number[] = [];
    for (const id of (await this.running) ?? []) ages.push(await this.ageOf(id));
    return percentilesOf(ages);
  }

  private async send() {
    const ids: string[] = [];
    const message = { to: { email: 'single@example.com' }, content: { title: 'A single send', body: 'Beside the others.' } };
    while (!this.ended) {
      ids.push(String((await call(this.product, 'POST', '/send', this.key, { message })).requestId));
      await delay(INTERVAL_MS);
    }
    return ids;
  }

  private async ageOf(id: string) {
    for (const until = performance.now() + DELIVERED_MS_MAX; performance.now() < until; await delay(POLL_MS)) {
      const { status, enqueued, sent } = await call(this.product, 'GET', `/messages/${id}`, this.key);
      if (status === 'DELIVERED') return Number(sent) - Number(enqueued);
    }
    throw new Error(`Message ${id} was not delivered`);
  }
}
