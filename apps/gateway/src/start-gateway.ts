import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { portTaken } from '@tidings/runtime/management';
import { GatewayModule } from './gateway.module';
import type { GatewayOptions } from './gateway.options';
import { DEFAULT_CORS_ORIGINS } from './http/cors';
import { GatewayAdapter } from './http/gateway-adapter';

/** How long a stop waits for open requests, in ms: longer than any operation's deadline. */
const DRAIN_MS_MAX = 15_000;
/** How often a stop closes connections whose last request was just answered, in ms. */
const IDLE_LOOK_MS = 50;

interface StartGatewayOptions extends GatewayOptions {
  /** 0 takes a free one. */
  port: number;
  /** Address to listen on. Default: every address of the machine. */
  host?: string;
  /** Called when everything but the listening is done: whoever has kept the port meanwhile lets go of it. */
  beforeListening?: () => void;
}

export interface RunningGateway {
  /** `http://127.0.0.1:8080`: reachable from this machine. */
  readonly url: string;
  readonly port: number;
  /** Takes no more connections, answers what is open (at most `drainMs`), then closes. Asking twice is asking once. */
  stop(drainMs?: number): Promise<void>;
}

/** Starts the gateway; resolves once it listens, rejects when the port is taken or the event log cannot be listened to. */
export async function startGateway({ port, host = '0.0.0.0', beforeListening, ...options }: StartGatewayOptions): Promise<RunningGateway> {
  const adapter = await GatewayAdapter.create({ cors: options.cors ?? DEFAULT_CORS_ORIGINS });
  const app = await NestFactory.create(GatewayModule.register(options), adapter, { bodyParser: false, abortOnError: false });
  try {
    await app.init();
    beforeListening?.();
    await adapter.root.listen({ port, host });
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw portTaken(port);
    throw error;
  }

  const bound = (adapter.root.server.address() as AddressInfo).port;
  let stopping: Promise<void> | undefined;
  return {
    url: `http://${reachable(host)}:${bound}`,
    port: bound,
    stop: (drainMs = DRAIN_MS_MAX) => (stopping ??= drain(adapter, drainMs).then(() => app.close())),
  };
}

/** HTTP first and everything behind it afterwards: open requests still need the keys and the services. */
async function drain({ root }: GatewayAdapter, drainMs: number): Promise<void> {
  root.draining.begun = true;
  const idle = setInterval(() => root.server.closeIdleConnections(), IDLE_LOOK_MS);
  const end = setTimeout(() => root.server.closeAllConnections(), drainMs);
  try {
    await root.close();
  } finally {
    clearInterval(idle);
    clearTimeout(end);
  }
}

function reachable(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1';
  return host.includes(':') ? `[${host}]` : host;
}
