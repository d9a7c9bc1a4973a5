import { gzipSync } from 'node:zlib';
import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { JsonSchema } from '@tidings/contracts/core/json-schema';
import { pages as openPages } from '@tidings/contracts/pages';
import type { HealthReport } from '@tidings/runtime/health';
import type { HealthChecks, Metrics } from '../gateway.options';
import { answerError, answerJson, answerText, JSON_TYPE } from '../http/answers';
import { encodingFor } from '../http/encodings';
import { lazy } from '../lazy';
import { escapeHtml, HTML_TYPE, htmlPage, PAGE_POLICY } from './html';
import { withExamples } from './with-examples';

const logger = new Logger('Gateway');

interface PagesOptions {
  version: string;
  /** Path of the host's development mailbox. */
  mailbox?: string;
  /** Makes the OpenAPI document of the operations. Called when it is requested: it has every description of the interface. */
  document: () => JsonSchema;
  /** Makes the AsyncAPI document of the events. */
  eventsDocument: () => JsonSchema;
  health?: HealthChecks;
  metrics?: Metrics;
}

/** Routes the pages without authentication: documents of the interface, health and metrics. */
export function routePages(instance: FastifyInstance, { document, eventsDocument, health, metrics, ...about }: PagesOptions) {
  for (const [path, described] of Object.entries({ '/openapi.json': () => withExamples(document()), '/asyncapi.json': eventsDocument })) {
    const text = lazy(() => JSON.stringify(described()));
    const compressed = lazy(() => gzipSync(text()));
    instance.get(path, ({ headers }, reply) => {
      reply.raw.setHeader('vary', 'accept-encoding');
      if (encodingFor(['gzip'], headers['accept-encoding']?.toString()) === undefined) return answerJson(reply, 200, text());
      reply.raw.setHeader('content-encoding', 'gzip');
      answerText(reply, 200, JSON_TYPE, compressed());
    });
  }
  routeHome(instance, about);
  instance.get('/health/live', (_request, reply) => answerHealth(reply, health?.live()));
  instance.get('/health/ready', (_request, reply) => void answerReady(reply, health));
  if (metrics) instance.get('/metrics', (_request, reply) => void answerMetrics(reply, metrics));
}

/** HTML for browsers, JSON for other clients. */
function routeHome(instance: FastifyInstance, { version, mailbox }: Pick<PagesOptions, 'version' | 'mailbox'>) {
  const page = homePage(version, mailbox);
  const text = JSON.stringify({
    name: NAME,
    version,
    console: '/console',
    docs: '/docs',
    openapi: '/openapi.json',
    asyncapi: '/asyncapi.json',
    mailbox,
    health: { live: '/health/live', ready: '/health/ready' },
  });
  instance.get('/', ({ headers }, reply) => {
    reply.raw.setHeader('vary', 'accept');
    if (headers.accept?.includes('text/html')) answerPage(reply, page);
    else answerJson(reply, 200, text);
  });
}

function answerPage(reply: FastifyReply, page: string) {
  reply.raw.setHeader('content-security-policy', PAGE_POLICY);
  answerText(reply, 200, HTML_TYPE, page);
}

/** 200 while requests can be answered; 503 with the failed checks otherwise, and during a stop. */
async function answerReady(reply: FastifyReply, health: HealthChecks | undefined) {
  if (reply.server.draining.isStarted) answerHealth(reply, { status: 'unavailable', checks: { process: 'stopping' } });
  else answerHealth(reply, await health?.ready());
}

function answerHealth(reply: FastifyReply, report: HealthReport = { status: 'ok', checks: {} }) {
  if (report.status === 'ok') return answerJson(reply, 200, JSON.stringify(report));
  const reasons = Object.entries(report.checks).filter(([, outcome]) => outcome !== 'ok');
  answerError(reply, new ServiceError('unavailable', `Not ready: ${reasons.map(([name, reason]) => `${name}: ${reason}`).join('; ')}`));
}

async function answerMetrics(reply: FastifyReply, metrics: Metrics) {
  try {
    answerText(reply, 200, metrics.contentType, await metrics.metrics());
  } catch (error) {
    logger.error({ err: error, requestId: reply.request.id }, 'Collecting the metrics failed');
    answerError(reply, error);
  }
}

const NAME = 'Tidings';

/** The pages linked from `/`. */
const LINKED: readonly string[] = ['/console', '/docs', '/openapi.json', '/asyncapi.json', '/health/ready', '/health/live'];

/** The same as an HTML page. */
function homePage(version: string, mailbox: string | undefined) {
  const links = [
    ...openPages.filter(({ path }) => LINKED.includes(path)),
    ...(mailbox === undefined ? [] : [{ path: mailbox, summary: 'the development mailbox, for this machine alone' }]),
  ];
  const rows = links.map(
    ({ path, summary }) => `<tr><td><a href="${escapeHtml(path)}">${escapeHtml(path)}</a></td><td>${escapeHtml(summary)}</td></tr>`,
  );
  return htmlPage(
    NAME,
    `<h1>${NAME} <small>${escapeHtml(version)}</small></h1>
<p>A notification delivery service. Send <code>Authorization: Bearer &lt;API key&gt;</code> with every request to an operation.</p>
<table>${rows.join('\n')}</table>`,
  );
}
