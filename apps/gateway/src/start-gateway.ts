import type { AddressInfo } from 'node:net';
import { NestFactory } from '@nestjs/core';
import { localUrl } from '@tidings/runtime/local-url';
import { portInUse } from '@tidings/runtime/management';
import { addRoutes, GatewayModule } from './gateway.module';
import type { GatewayOptions } from './gateway.options';
import { GatewayAdapter } from './http/gateway-adapter';

/** Longest wait of a stop for open requests, in ms: longer than any operation's deadline. */
const DRAIN_MS_MAX = 15_000;
/** Interval at which a stop closes idle connections, in ms. */
const IDLE_CHECK_MS = 50;

export interface StartGatewayOptions extends GatewayOptions {
  /** 0: any free port. */
  port: number;
  /** IP address to listen at. Default: every one of the machine. */
  host?: string;
  /** Called immediately before listening: a placeholder server on the port must release it. */
  beforeListening?: () => void;
}

export type RunningGateway = Awaited<ReturnType<typeof startGateway>>;

/** Starts the gateway; resolves once it listens, rejects when the port is in use or the event log is unavailable. */
export async function startGateway({ port, host = '0.0.0.0', beforeListening, ...options }: StartGatewayOptions) {
  const adapter = await GatewayAdapter.create(options.logsRequests);
  const app = await NestFactory.create(GatewayModule.register(options), adapter, { bodyParser: false, abortOnError: false });
  try {
    addRoutes(app, adapter, options);
    await app.init();
    beforeListening?.();
    await adapter.root.listen({ port, host });
  } catch (error) {
    await app.close();
    if ((error as NodeJS.ErrnoException).code === 'EADDRINUSE') throw portInUse(port);
    throw error;
  }

  const bound = (adapter.root.server.address() as AddressInfo).port;
  let stopping: Promise<void> | undefined;
  return {
    /** `http://127.0.0.1:8080`: reachable from this machine. */
    url: localUrl(host, bound),
    port: bound,
    /** Refuses new connections, answers open requests (at most `drainMs`), then closes; idempotent. */
    stop: (drainMs = DRAIN_MS_MAX) => (stopping ??= drain(adapter, drainMs).then(() => app.close())),
  };
}

/** HTTP first and its dependencies afterwards: open requests still need keys and services. */
async function drain({ root }: GatewayAdapter, drainMs: number) {
  root.draining.isStarted = true;
  const idle = setInterval(() => root.server.closeIdleConnections(), IDLE_CHECK_MS);
  const end = setTimeout(() => root.server.closeAllConnections(), drainMs);
  try {
    await root.close();
  } finally {
    clearInterval(idle);
    clearTimeout(end);
  }
}
