import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { wireError } from '@tidings/contracts/core/errors';
import type { HealthRegistry, HealthReport } from './health';
import type { Metrics } from './metrics';

const HEADERS_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 1_000;

interface ManagementAnswer {
  status: 200 | 503;
  contentType: string;
  body: string;
}

type AnswerManagement = () => ManagementAnswer | Promise<ManagementAnswer>;

/** Handlers of GET, by path. */
function managementAnswers({ health, metrics }: ManagementOptions): ReadonlyMap<string, AnswerManagement> {
  const answers = new Map<string, AnswerManagement>([
    ['/health/live', () => healthAnswer(health.live())],
    ['/health/ready', async () => healthAnswer(await health.ready())],
  ]);
  if (metrics) {
    const { registry } = metrics;
    answers.set('/metrics', async () => ({ status: 200, contentType: registry.contentType, body: await registry.metrics() }));
  }
  return answers;
}

function healthAnswer(report: HealthReport): ManagementAnswer {
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
export function portInUse(port: number): Error {
  return new Error(`Port ${port} is in use by another process: stop it, or set PORT to another one`);
}

/** @param otherwise answers every other path. */
function listen(
  options: ManagementOptions,
  otherwise: (response: ServerResponse) => void,
  headers: Record<string, string> = {},
): Promise<ManagementServer> {
  const { port, host } = options;
  const answers = managementAnswers(options);
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: HEADERS_TIMEOUT_MS }, (request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    const answerPath = answers.get(request.url?.split('?')[0] ?? '');
    if (answerPath) void answer(answerPath, request, response);
    else otherwise(response);
  });
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> =>
    new Promise((resolve) => {
      server.close(() => resolve());
      setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS).unref();
    });

  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ port, host }, () => resolve({ port: (server.address() as AddressInfo).port, close: () => (closed ??= close()) }));
  });
}

async function answer(answerPath: AnswerManagement, request: IncomingMessage, response: ServerResponse) {
  if (request.method !== 'GET' && request.method !== 'HEAD') return void response.writeHead(405, { allow: 'GET, HEAD' }).end();
  try {
    const { status, contentType, body } = await answerPath();
    response
      .writeHead(status, { 'content-type': contentType, 'cache-control': 'no-store' })
      .end(request.method === 'HEAD' ? undefined : body);
  } catch {
    response.writeHead(500).end();
  }
}
