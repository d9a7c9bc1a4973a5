import 'reflect-metadata';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Module } from '@nestjs/common';
import { CommandTransactions } from '@tidings/contracts/core/command-transactions';
import { type CallbackSettings, providerCallbacks } from '@tidings/contracts/messaging/provider-callbacks';
import { type ProviderEventReported, providerEventReported } from '@tidings/contracts/messaging/provider-events';
import type { EventLog } from '@tidings/events/event-log';
import { startGateway } from '@tidings/gateway/start-gateway';
import { Handles } from '@tidings/rpc/handles';
import { LocalTransport } from '@tidings/rpc/local-transport';
import { startService } from '@tidings/runtime/service';
import { BENCH_WORKSPACE, connectLog, type LogTarget } from '../bench-log';
import { serve } from '../worker';

export interface CallbackTarget {
  log: LogTarget;
  /** Key that verifies the callbacks of SendGrid. */
  publicKey: string;
}

/** Commands of a process that receives callbacks; one of them is called. */
export type CallbackServerCommands = {
  /** The product's gateway, beside an answer of messaging that is always the same. */
  gateway(target: CallbackTarget): Promise<{ port: number }>;
  /** Node's own server with `JSON.parse` and the same append. */
  bare(target: CallbackTarget): Promise<{ port: number }>;
};

const stops: (() => Promise<void> | void)[] = [];
let settings: CallbackSettings;

@Handles(providerCallbacks)
class CallbackHandlers {
  find() {
    return Promise.resolve(settings);
  }
}

/** Commands of this messaging have no transaction. */
const NO_DATABASE: CommandTransactions = { run: (_, work) => work(undefined) };

@Module({ controllers: [CallbackHandlers], providers: [{ provide: CommandTransactions, useValue: NO_DATABASE }] })
class CallbackModule {}

async function gateway({ log, publicKey }: CallbackTarget): Promise<{ port: number }> {
  settings = { workspace_id: BENCH_WORKSPACE, settings: { webhook_public_key: publicKey } };
  const events = await connectLog(log, 'bench-callbacks');
  stops.push(() => events.close());
  const transport = new LocalTransport();
  const messaging = await startService('messaging', { module: CallbackModule }, transport);
  stops.push(() => messaging.stop());
  const started = await startGateway({ port: 0, host: '127.0.0.1', client: transport.client(), events });
  stops.push(() => started.stop());
  return { port: started.port };
}

async function bare({ log }: CallbackTarget): Promise<{ port: number }> {
  const events = await connectLog(log, 'bench-bare-callbacks');
  stops.push(() => events.close());
  const server = createServer((request, response) => {
    const pieces: Buffer[] = [];
    request.on('data', (piece: Buffer) => pieces.push(piece));
    request.on('end', () => {
      void append(events, JSON.parse(Buffer.concat(pieces).toString()) as ReportedEvent[]).then(
        () => response.writeHead(200, { 'content-length': 0 }).end(),
        () => response.writeHead(503, { 'content-length': 0 }).end(),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  stops.push(() => void server.close());
  return { port: (server.address() as AddressInfo).port };
}

/** The fields of SendGrid's events that the record is made of. */
interface ReportedEvent {
  email: string;
  timestamp: number;
  sg_event_id: string;
  tidings_delivery: string;
}

function append(events: EventLog, reported: readonly ReportedEvent[]) {
  const payloads = reported.map(({ email, timestamp, sg_event_id: eventId, tidings_delivery: delivery }): ProviderEventReported => {
    const messageId = delivery.slice(0, -2);
    const of = { workspaceId: BENCH_WORKSPACE, provider: 'sendgrid', configurationId: 'prv_bench' };
    return { ...of, subject: messageId, eventId, kind: 'DELIVERED', at: timestamp * 1_000, messageId, leaf: 0, address: email };
  });
  return events.append(
    providerEventReported,
    payloads.map((payload) => ({ id: payload.eventId, payload })),
  );
}

serve<CallbackServerCommands>({ gateway, bare }, async () => {
  for (const stop of stops.reverse()) await stop();
});
