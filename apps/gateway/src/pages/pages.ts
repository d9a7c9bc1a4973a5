import { Logger } from '@nestjs/common';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '@tidings/contracts/core/errors';
import type { JsonSchema } from '@tidings/contracts/core/json-schema';
import type { HealthReport } from '@tidings/runtime/health';
import type { HealthChecks, Metrics } from '../gateway.options';
import { answerError, answerJson, answerText } from '../http/answers';
import { DOCS_POLICY, docsPage } from './docs-page';

const logger = new Logger('Gateway');

interface PagesOptions {
  /** OpenAPI: what clients call. */
  document: JsonSchema;
  /** AsyncAPI: what stands on the topics. */
  eventsDocument: JsonSchema;
  health?: HealthChecks;
  metrics?: Metrics;
}

/** What is served without a credential: the documentation, and what the process says of itself. */
export function routePages(instance: FastifyInstance, { document, eventsDocument, health, metrics }: PagesOptions): void {
  const documentText = JSON.stringify(document);
  const eventsText = JSON.stringify(eventsDocument);
  const page = docsPage(document);
  instance.get('/openapi.json', (_request, reply) => answerJson(reply, 200, documentText));
  instance.get('/asyncapi.json', (_request, reply) => answerJson(reply, 200, eventsText));
  instance.get('/docs', (_request, reply) => {
    reply.raw.setHeader('content-security-policy', DOCS_POLICY);
    answerText(reply, 200, 'text/html; charset=utf-8', page);
  });
  instance.get('/health/live', (_request, reply) => answerHealth(reply, health?.live()));
  instance.get('/health/ready', (_request, reply) => void answerReady(reply, health));
  if (metrics) instance.get('/metrics', (_request, reply) => void answerMetrics(reply, metrics));
}

/** 200 while requests can be answered; 503 naming what is missing, and during a stop, so that no more are sent here. */
async function answerReady(reply: FastifyReply, health: HealthChecks | undefined): Promise<void> {
  const stopping: HealthReport = { status: 'unavailable', checks: { process: 'stopping' } };
  answerHealth(reply, reply.server.draining.begun ? stopping : await health?.ready());
}

function answerHealth(reply: FastifyReply, report: HealthReport = { status: 'ok', checks: {} }): void {
  if (report.status === 'ok') return answerJson(reply, 200, JSON.stringify(report));
  const reasons = Object.entries(report.checks).filter(([, outcome]) => outcome !== 'ok');
  answerError(reply, new ServiceError('unavailable', `Not ready: ${reasons.map(([name, reason]) => `${name}: ${reason}`).join('; ')}`));
}

async function answerMetrics(reply: FastifyReply, metrics: Metrics): Promise<void> {
  try {
    answerText(reply, 200, metrics.contentType, await metrics.metrics());
  } catch (error) {
    logger.error({ err: error, callId: reply.request.id }, 'The metrics could not be collected');
    answerError(reply, error);
  }
}
