import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import { systemContext } from '@tidings/contracts/core/context';
import { hashedKey } from '@tidings/contracts/identity/api-key';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { startService } from '@tidings/runtime/service';
import { retryUntilAvailable } from '@tidings/runtime/retry-until-available';
import { connectLog, type LogTarget } from './bench-log';
import { serve } from './worker';

export interface AloneOptions {
  /** Log that sends are appended to; no process routes them. */
  log: LogTarget;
  identityUrl: string;
  /** The first workspace's. */
  key: string;
}

export type GatewayCommands = {
  listen(options: AloneOptions): Promise<{ port: number }>;
};

const START_MS_MAX = 30_000;

const stops: (() => Promise<void>)[] = [];

/**
 * The product's gateway with identity, which checks the key, and without messaging: the cost of acceptance itself, as in a
 * deployment with messaging on another machine.
 */
async function listen({ log, identityUrl, key }: AloneOptions): Promise<{ port: number }> {
  const events = await connectLog(log, 'bench-gateway');
  stops.push(() => events.close());
  const transport = new LocalTransport();
  const client = transport.client();
  const identity = await startService('identity', IdentityModule.register({ databaseUrl: identityUrl, events, client }), transport);
  stops.push(() => identity.stop());
  const workspace = { name: 'bench', account_email: 'bench@example.com', ...hashedKey(key), mode: 'production' as const };
  await client.call(workspaces.ensure, systemContext(randomUUID()), workspace);
  // As the gateway's own process does: partitions of new Kafka topics may have no leader yet.
  const gateway = await retryUntilAvailable('the event log', () => startGateway({ port: 0, host: '127.0.0.1', client, events }), {
    signal: AbortSignal.timeout(START_MS_MAX),
    logger: new Logger(),
  });
  stops.push(() => gateway.stop());
  return { port: gateway.port };
}

serve<GatewayCommands>({ listen }, async () => {
  for (const stop of stops.reverse()) await stop();
});
