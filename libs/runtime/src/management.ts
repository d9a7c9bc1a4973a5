import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wireError } from '@tidings/contracts/core/errors';
import type { HealthRegistry, HealthReport } from './health';
import type { Metrics } from './metrics';

const HEADERS_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 1_000;

/** The answer to GET of a path; `undefined` for an unknown path. */
async function answerTo(path: string | undefined, { health, metrics }: ManagementOptions) {
  if (path === '/health/live') return healthAnswer(health.live());
  if (path === '/health/ready') return healthAnswer(await health.ready());
  if (path !== '/metrics' || !metrics) return undefined;
  const { registry } = metrics;
  return { status: 200, contentType: registry.contentType, body: await registry.metrics() };
}

function healthAnswer(report: HealthReport) {
  return { status: report.status === 'ok' ? 200 : 503, contentType: 'application/json; charset=utf-8', body: JSON.stringify(report) };
}

export interface ManagementServer {
  /** Port it listens on; the assigned one when 0 was requested. */
  readonly port: number;
  /** Answers the open requests, then closes; idempotent. The port is free as soon as this was called. */
  close(): Promise<void>;
}

interface ManagementOptions {
  port: number;
  /** IP address to listen at. Default: every interface, as probes come from outside. */
  host?: string;
  health: HealthRegistry;
  /** Absent: `/metrics` is not served. */
  metrics?: Metrics;
}

/** Serves health and metrics on a port of their own; rejects when the port cannot be used. */
export function startManagementServer(options: ManagementOptions): Promise<ManagementServer> {
  return listen(options, (response) => void response.writeHead(404).end()).catch((error: Error) => {
    throw new Error(`MANAGEMENT_PORT ${options.port} cannot be used: ${error.message}`, { cause: error });
  });
}

/**
 * Listens on `PORT` until the HTTP server starts: health and metrics as that server will have them, 503 for everything else. Early
 * clients get a clear answer, and a port in use by another process is detected before any part starts.
 */
export function startPlaceholderServer(options: ManagementOptions): Promise<ManagementServer> {
  const body = JSON.stringify({ message: 'Tidings is starting', type: wireError('unavailable').type });
  const tooEarly = (response: ServerResponse) => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(body);
  };
  return listen(options, tooEarly, { connection: 'close' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? portInUse(options.port) : error;
  });
}

/** The error of a start while another process listens on `PORT`. */
export function portInUse(port: number) {
  return new Error(`Port ${port} is in use by another process: stop it, or set PORT to another one`);
}

/** @param otherwise answers every other path. */
function listen(
  options: ManagementOptions,
  otherwise: (response: ServerResponse) => void,
  headers: Record<string, string> = {},
): Promise<ManagementServer> {
  const { port, host } = options;
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: HEADERS_TIMEOUT_MS }, (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    void answer(options, otherwise, request, response);
  });
  let closed: Promise<void> | undefined;
  const close = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS).unref();
    });

  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => resolve({ port: (server.address() as AddressInfo).port, close: () => (closed ??= close()) }));
  });
}

async function answer(
  options: ManagementOptions,
  otherwise: (response: ServerResponse) => void,
  { method, url }: IncomingMessage,
  response: ServerResponse,
) {
  try {
    const found = await answerTo(url?.split('?')[0], options);
    if (!found) return otherwise(response);
    if (method !== 'GET' && method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
    const { status, contentType, body } = found;
    response.writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' }).end(method === 'HEAD' ? undefined : body);
  } catch {
    response.writeHead(500).end();
  }
}
