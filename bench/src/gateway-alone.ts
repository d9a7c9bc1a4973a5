import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { systemContext } from '@tidings/contracts/core/context';
import { workspaces } from '@tidings/contracts/identity/workspaces';
import { PostgresEventLog } from '@tidings/events/postgres/postgres-event-log';
import { startGateway } from '@tidings/gateway/start-gateway';
import { IdentityModule } from '@tidings/identity/identity.module';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { startService } from '@tidings/runtime/service';
import { serve } from './worker';

export type GatewayCommands = {
  listen(options: { eventsUrl: string; identityUrl: string; key: string }): Promise<{ port: number }>;
};

const stops: (() => Promise<void>)[] = [];

/**
 * The product's gateway, with identity behind it for the key, and nobody who routes or delivers: what acceptance itself costs,
 * as in a deployment where messaging is another process.
 */
async function listen({ eventsUrl, identityUrl, key }: { eventsUrl: string; identityUrl: string; key: string }): Promise<{ port: number }> {
  const events = await PostgresEventLog.connect({ databaseUrl: eventsUrl, applicationName: 'bench-gateway', maintenanceIntervalMs: null });
  stops.push(() => events.close());
  const transport = new LocalTransport();
  const client = transport.client();
  const identity = await startService('identity', IdentityModule.register({ databaseUrl: identityUrl, events, client }), transport);
  stops.push(() => identity.stop());
  const workspace = { name: 'bench', account_email: 'bench@example.com', key, mode: 'production' as const };
  await client.call(workspaces.ensure, systemContext(randomUUID()), workspace);
  const gateway = await startGateway({ port: 0, host: '127.0.0.1', client, events });
  stops.push(() => gateway.stop());
  return { port: gateway.port };
}

serve<GatewayCommands>({ listen }, async () => {
  for (const stop of stops.reverse()) await stop();
});
