import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { rateLeases } from '@tidings/contracts/identity/rate-leases';
import { migrateEventLog } from '@tidings/events/postgres/migrate';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { JSON_TYPE } from '@tidings/gateway/http/answers';
import { setRateHeaders } from '@tidings/gateway/http/rate-headers';
import { RateLimiter, type RateState } from '@tidings/gateway/limits/rate-limiter';
import { IdentityModule } from '@tidings/identity/identity.module';
import { provisionDatabase } from '@tidings/persistence/provision';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { EmbeddedPostgres } from '@tidings/runtime/embedded-postgres';
import { startService } from '@tidings/runtime/service';
import { type Bench, describeRun, runBench } from './bench';
import { cpuMicroseconds } from './cpu-microseconds';
import { printTable, spread } from './report';

Logger.overrideLogger(['error', 'fatal', 'warn']);

const ROUNDS = 9;
const REQUESTS = 200_000;
const ANSWERS = 50_000;
const LEASES = 300;

/** What rate limits cost: the check of each request without and with a limit, and a lease, of which a gateway makes one a second. */
async function limits(bench: Bench): Promise<void> {
  const server = await EmbeddedPostgres.start({ directory: bench.directory(), durable: false });
  bench.atEnd('PostgreSQL', () => server.stop());
  const urls = await provisionDatabase(server.adminUrl);
  await migrateEventLog(urls.events);
  const events = await PostgresEventLog.connect({ databaseUrl: urls.events, applicationName: 'bench' });
  bench.atEnd('the event log', () => events.close());
  const transport = new LocalTransport();
  const client = transport.client();
  const service = await startService('identity', IdentityModule.register({ databaseUrl: urls.identity, events, client }), transport);
  bench.atEnd('identity', () => service.stop());

  const limiter = new RateLimiter(client);
  bench.atEnd('the limiter', () => limiter.onApplicationShutdown());
  const caller = { ...systemContext('bench'), workspaceId: randomUUID(), keyId: randomUUID(), isToken: false };
  const limited = { ...caller, limits: { key_rate: '9999999/s', workspace_rate: '9999999/s' } };
  const gateway = randomUUID();
  const buckets = [{ workspace_id: caller.workspaceId, rate: '9999999/s', used: 1 }];

  const costs = { off: [] as number[], on: [] as number[], headers: [] as number[], lease: [] as number[] };
  const state = limiter.admit(limited)!;
  for (let round = 0; round < ROUNDS; round += 1) {
    costs.off.push(cpuMicroseconds(() => limiter.admit(caller), REQUESTS));
    costs.on.push(cpuMicroseconds(() => limiter.admit(limited), REQUESTS));
    costs.headers.push(cpuMicroseconds(() => answer(state), ANSWERS) - cpuMicroseconds(() => answer(), ANSWERS));
    const startedAt = performance.now();
    for (let count = 0; count < LEASES; count += 1) await client.call(rateLeases.lease, systemContext('bench'), { gateway, buckets });
    costs.lease.push((1_000 * (performance.now() - startedAt)) / LEASES);
  }

  console.log(describeRun());
  printTable(
    `Rate limits, ${ROUNDS} rounds; µs each, median (lowest–highest)`,
    ['', 'µs'],
    [
      ['a request without a limit', spread(costs.off)],
      ['a request with a limit of the key and of the workspace', spread(costs.on)],
      ['the headers of its answer', spread(costs.headers)],
      ['a lease, from call to answer, PostgreSQL included', spread(costs.lease)],
    ],
  );
}

/** The head of an answer to a send, without a connection. */
function answer(state?: RateState): void {
  const response = new ServerResponse(new IncomingMessage(new Socket()));
  if (state) setRateHeaders(response, state);
  response.writeHead(202, { 'content-type': JSON_TYPE, 'content-length': 49, 'x-request-id': 'a' });
}

runBench(limits);
