import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wireError } from '@tidings/contracts/core/errors';
import type { HealthRegistry, HealthReport } from './health';
import type { Metrics } from './metrics';

const HEADERS_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 1_000;

/** Paths every process answers. */
const MANAGEMENT_PATHS = ['/health/live', '/health/ready', '/metrics'] as const;
type ManagementPath = (typeof MANAGEMENT_PATHS)[number];

interface ManagementAnswer {
  status: 200 | 503;
  contentType: string;
  body: string;
}

/** The answer to GET `path`; what a process with an HTTP door of its own mounts there. */
async function answerManagement(path: ManagementPath, health: HealthRegistry, metrics: Metrics): Promise<ManagementAnswer> {
  switch (path) {
    case '/health/live':
      return healthAnswer(health.live());
    case '/health/ready':
      return healthAnswer(await health.ready());
    case '/metrics':
      return { status: 200, contentType: metrics.registry.contentType, body: await metrics.registry.metrics() };
  }
}

function healthAnswer(report: HealthReport): ManagementAnswer {
  return { status: report.status === 'ok' ? 200 : 503, contentType: 'application/json; charset=utf-8', body: JSON.stringify(report) };
}

export interface ManagementServer {
  /** Where it listens; the one that was free when 0 was asked for. */
  readonly port: number;
  /** Answers what is under way, then closes. Again is the same as once. The port is free as soon as this was called. */
  close(): Promise<void>;
}

interface ManagementOptions {
  port: number;
  /** IP address to listen at. Default: every interface, as probes come from outside. */
  host?: string;
  health: HealthRegistry;
  metrics: Metrics;
}

/** Serves health and metrics on a port of their own. */
export function startManagementServer(options: ManagementOptions): Promise<ManagementServer> {
  return listen(options, (response) => void response.writeHead(404).end()).catch((error: Error) => {
    throw new Error(`MANAGEMENT_PORT ${options.port} cannot be used: ${error.message}`, { cause: error });
  });
}

/**
 * Holds the port of a door that does not answer yet: health and metrics as they are, everything else 503. A client that comes
 * too early is told so, and a port that somebody else has is found before anything is started.
 */
export function keepDoor(options: ManagementOptions): Promise<ManagementServer> {
  const body = JSON.stringify({ message: 'Tidings is starting', type: wireError('unavailable').type });
  const tooEarly = (response: ServerResponse): void => {
    response.writeHead(503, { 'content-type': 'application/json', 'retry-after': '1' }).end(body);
  };
  return listen(options, tooEarly, { connection: 'close' }).catch((error: NodeJS.ErrnoException) => {
    throw error.code === 'EADDRINUSE' ? portTaken(options.port) : error;
  });
}

/** What to say, and do, when somebody else listens on `PORT`. */
export function portTaken(port: number): Error {
  return new Error(`Port ${port} is taken by another process: stop it, or set PORT to another one`);
}

/** @param otherwise answers every path that is not of the management. */
function listen(
  { port, host, health, metrics }: ManagementOptions,
  otherwise: (response: ServerResponse) => void,
  headers: Record<string, string> = {},
): Promise<ManagementServer> {
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: HEADERS_TIMEOUT_MS }, (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const path = MANAGEMENT_PATHS.find((known) => known === request.url?.split('?')[0]);
    if (path) void answer(path, request, response, health, metrics);
    else otherwise(response);
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      server.closeIdleConnections();
      setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS).unref();
    });

  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => resolve({ port: (server.address() as AddressInfo).port, close: () => (closed ??= close()) }));
  });
}

async function answer(
  path: ManagementPath,
  request: IncomingMessage,
  response: ServerResponse,
  health: HealthRegistry,
  metrics: Metrics,
): Promise<void> {
  if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
  try {
    const { status, contentType, body } = await answerManagement(path, health, metrics);
    response
      .writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' })
      .end(request.method === 'HEAD' ? undefined : body);
  } catch {
    response.writeHead(500).end();
  }
}
