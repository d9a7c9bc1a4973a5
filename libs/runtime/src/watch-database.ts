import { Outbox } from '@tidings/persistence/outbox';
import type { Pool, PoolClient } from 'pg';
import { DataSource } from 'typeorm';
import type { PostgresDriver } from 'typeorm/driver/postgres/PostgresDriver';
import { METRICS } from './metric-table';
import { metrics } from './metrics';
import type { RunningService } from './service';

/** Each costs a statement. */
const OUTBOX_INTERVAL_MS = 5_000;
const WAIT = metrics.histogram(METRICS.poolWait);

/** Shows the pool of a started service, and the age of its outbox, in the metrics of the process. Returns the function that ends this. */
export function watchDatabase(service: Pick<RunningService, 'get'>): () => void {
  const source = provided<DataSource>(service, DataSource);
  const outbox = provided<Outbox>(service, Outbox);
  const ends = [...(source ? [watchPool((source.driver as PostgresDriver).master as Pool)] : []), ...(outbox ? [watchOutbox(outbox)] : [])];
  return () => ends.forEach((end) => end());
}

/** As `watchDatabase`, of one source of events. */
export function watchOutbox(source: Pick<Outbox, 'oldestAge'>): () => void {
  return metrics.readValue(METRICS.outboxAge, () => source.oldestAge(), OUTBOX_INTERVAL_MS);
}

function watchPool(pool: Pool) {
  measureWaits(pool);
  const ends = [
    metrics.readValue(METRICS.poolInUse, () => pool.totalCount - pool.idleCount),
    metrics.readValue(METRICS.poolWaiting, () => pool.waitingCount),
    metrics.readValue(METRICS.poolSize, () => pool.options.max),
  ];
  return () => ends.forEach((end) => end());
}

type Checkout = (error: Error | undefined, client: PoolClient | undefined, release: (broken?: boolean | Error) => void) => void;

/** Measures how long callers wait for a connection, with either form of `connect`. */
function measureWaits(pool: Pool) {
  const connect = pool.connect.bind(pool) as { (): Promise<PoolClient>; (callback: Checkout): void };
  pool.connect = ((callback?: Checkout) => {
    const sinceMs = performance.now();
    const ended = () => WAIT.observe((performance.now() - sinceMs) / 1_000);
    if (callback)
      return connect((error, client, release) => {
        ended();
        callback(error, client, release);
      });
    const client = connect();
    client.then(ended, ended);
    return client;
  }) as Pool['connect'];
}

/** A provider of the service; undefined where it has none. */
function provided<Provider>(service: Pick<RunningService, 'get'>, token: new (...parameters: never[]) => Provider) {
  try {
    return service.get(token);
  } catch {
    return undefined;
  }
}
