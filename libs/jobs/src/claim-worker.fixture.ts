import { retryDelayMs } from '@tidings/contracts/core/retry-delay';
import { openDataSource } from '@tidings/persistence/data-source';
import { Database } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { OUTBOX_MIGRATIONS } from '@tidings/persistence/outbox.migrations';
import { OutboxRelay } from '@tidings/persistence/outbox-relay';
import { metrics } from '@tidings/runtime/metrics';
import { waitUntil } from '@tidings/testing/wait-until';
import { ClaimQueue } from './claim-queue';
import { ClaimWorker } from './claim-worker';
import { type Item, STATEMENTS } from './items.fixture';
import { LeaseRenewer } from './lease-renewer';
import { WorkTimes } from './work-times';

/** Prints when a poll has found no more due rows. */
class PrintingQueue extends ClaimQueue<Item> {
  override async nextDueMs(): Promise<number | undefined> {
    const waitMs = await super.nextDueMs();
    console.log('polled');
    return waitMs;
  }
}

/** A process that works on items: its name, how many at once, its times, from its environment. An item's title says what happens. */
export interface WorkerSettings {
  name: string;
  max: number;
  times: Partial<WorkTimes>;
}

const { name, max, times: given } = JSON.parse(process.env.WORKER!) as WorkerSettings;
const times = new WorkTimes(given);

const EFFECT = 'insert into effects (worker, what, id, generation, title) values ($1, $2, $3, $4, $5)';
const END = 'delete from items where id = $1 and turn = $2';
const RELEASED = 'select from released where id = $1 and generation = $2';
const POSTPONE = `with postponed as (
    update items set turn = turn + 1, due_at = clock_timestamp() + $3 * interval '1 millisecond' where id = $1 and turn = $2 returning due_at)
  insert into effects (worker, what, id, generation, due_at) select $4, 'postponed', $1, $2, due_at from postponed`;

async function main(): Promise<void> {
  const databaseUrl = process.env.WORKER_DATABASE!;
  const dataSource = await openDataSource({ databaseUrl, schema: 'messaging', entities: [], migrations: OUTBOX_MIGRATIONS });
  const database = new Database(dataSource);
  const source = new Outbox(database, 'messaging', []);
  const relay = new OutboxRelay({ database, source, log: { append: () => Promise.resolve() } });
  const queue = new PrintingQueue(database, STATEMENTS, times.leaseMs);
  const leases = new LeaseRenewer(queue, times);
  const effect = (what: string, { id, generation, title }: Item) => database.query(EFFECT, [name, what, id, generation, title]);

  async function work(item: Item): Promise<void> {
    const { id, generation, title } = item;
    await effect('claimed', item);
    if (title === 'blocked')
      await waitUntil(async () => (await database.query(RELEASED, [id, generation])).length > 0, { timeoutMs: 600_000 });
    // A claim and its postponement advance the generation by one each: the third attempt has 5.
    if (title === 'failing' && generation < 5) throw new Error('refused');
    await effect((await database.execute(END, [id, generation])) > 0 ? 'ended' : 'late', item);
  }

  async function tryWork(item: Item): Promise<void> {
    const { id, generation } = item;
    await leases
      .during([item], () => work(item))
      .catch(async () => {
        const delayMs = retryDelayMs((generation + 1) / 2, 60_000, times.firstRetryMs);
        await database.query(POSTPONE, [id, generation, delayMs, name]);
        worker.scheduleIn(delayMs);
      });
  }

  const worker = new ClaimWorker(queue, max, tryWork, times, 'Claiming items');
  relay.start();
  database.wakes.listen('jobs-spec.listening', () => console.log('listening'));
  worker.scheduleIn(0);
  process.on('SIGTERM', () => {
    console.log('stopping');
    void worker.stop().then(async () => {
      await relay.stop();
      await dataSource.destroy();
      console.log(await metrics.registry.metrics());
    });
  });
}

void main();
