import { type IncomingMessage, type ServerResponse, createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HealthRegistry, HealthReport } from './health';
import type { Metrics } from './metrics';

const HEADERS_TIMEOUT_MS = 10_000;
const CLOSE_GRACE_MS = 1_000;

/** Paths every process answers. */
export const MANAGEMENT_PATHS = ['/health/live', '/health/ready', '/metrics'] as const;
export type ManagementPath = (typeof MANAGEMENT_PATHS)[number];

export interface ManagementAnswer {
  status: 200 | 503;
  contentType: string;
  body: string;
}

/** The answer to GET `path`; what a process with an HTTP door of its own mounts there. */
export async function answerManagement(path: ManagementPath, health: HealthRegistry, metrics: Metrics): Promise<ManagementAnswer> {
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
  /** Answers what is under way, then closes. */
  close(): Promise<void>;
}

/** Serves health and metrics on a port of their own, on every interface: probes come from outside. */
export function startManagementServer(options: { port: number; health: HealthRegistry; metrics: Metrics }): Promise<ManagementServer> {
  const { port, health, metrics } = options;
  const server = createServer({ headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: HEADERS_TIMEOUT_MS }, (request, response) => {
    void answer(request, response, health, metrics);
  });

  return new Promise((resolve, reject) => {
    server.once('error', (error) => reject(new Error(`MANAGEMENT_PORT ${port} cannot be used: ${error.message}`, { cause: error })));
    server.listen(port, () => {
      resolve({
        port: (server.address() as AddressInfo).port,
        close: () =>
          new Promise((closed) => {
            server.close(() => closed());
            server.closeIdleConnections();
            setTimeout(() => server.closeAllConnections(), CLOSE_GRACE_MS).unref();
          }),
      });
    });
  });
}

async function answer(request: IncomingMessage, response: ServerResponse, health: HealthRegistry, metrics: Metrics): Promise<void> {
  const path = MANAGEMENT_PATHS.find((known) => known === request.url?.split('?')[0]);
  if (!path) return void response.writeHead(404).end();
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
