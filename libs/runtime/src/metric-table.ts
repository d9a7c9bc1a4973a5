import type { ServiceName } from '@tidings/contracts/core/operation';
import { SUPPRESSION_CHANNELS } from '@tidings/contracts/messaging/suppression-address';
import { SUPPRESSION_REASONS } from '@tidings/contracts/messaging/suppression-reasons';
import { PROVIDER_EVENT_KINDS } from '@tidings/contracts/messaging/provider-events';
import { LANES } from '@tidings/contracts/messaging/targets';
import { counter, gauge, histogram, type MetricDefinition } from './metric-definition';

const SERVICES = ['identity', 'audience', 'messaging', 'content'] as const satisfies readonly ServiceName[];
const ALL = ['gateway', ...SERVICES] as const satisfies readonly ServiceName[];
const CONSUMERS = ['identity', 'audience', 'messaging'] as const satisfies readonly ServiceName[];
const WORKERS = ['identity', 'audience', 'messaging'] as const satisfies readonly ServiceName[];

/** From a call within one machine to the longest deadline. */
const CALL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

const OPERATION = 'name of an operation, as `gateway.send.accept`';
const OUTCOME = '`ok`, an error code such as `not_found`, or `expired` (nothing was answered in time)';
const PROVIDER = 'kind of the provider, as `smtp`';
const QUEUE = 'name of a queue, as `messaging.expansions`';
const TOPIC = 'topic without the prefix';

/** What became of a provider call, or why none was made. */
export const DELIVERY_OUTCOMES = ['accepted', 'retry', 'failed', 'postponed', 'not_attempted'] as const;

/** What became of a callback: its events are in the log, it is refused, its address is not known, or it cannot be handled now. */
export const CALLBACK_OUTCOMES = ['accepted', 'refused', 'unknown', 'unavailable'] as const;
/** What became of a call of a webhook's receiver. */
export const WEBHOOK_OUTCOMES = ['delivered', 'retry', 'failed', 'refused'] as const;

/** Files with certificates that a process reads. */
export const CERTIFICATES = ['kafka_ca', 'kafka_client', 'database_ca', 'database_client'] as const;

/** Every metric of our own. docs/metrics.md shows them: `node tools/write-metrics.mjs`. */
export const METRICS = {
  httpRequests: counter('tidings_http_requests_total', {
    help: 'HTTP requests that were answered, or whose client left before (499)',
    labels: { operation: `${OPERATION}; \`other\` for every other path`, status: 'HTTP status' },
    processes: ['gateway'],
  }),
  httpDuration: histogram('tidings_http_request_duration_seconds', {
    help: 'Time from the headers of a request to its answer',
    labels: { operation: `${OPERATION}; \`other\` for every other path`, status: 'HTTP status' },
    buckets: CALL_SECONDS,
    processes: ['gateway'],
  }),
  accepted: counter('tidings_messages_accepted_total', {
    help: 'Sends that the log has and that were answered with 202; a send to many counts once',
    processes: ['gateway'],
  }),
  providerCallbacks: counter('tidings_provider_callbacks_total', {
    help: 'Callbacks of vendors, by outcome: `accepted` also where nothing in them concerns a message',
    labels: { provider: `${PROVIDER}; \`unknown\` for an address that does not exist`, outcome: CALLBACK_OUTCOMES },
    processes: ['gateway'],
  }),
  rateLimited: counter('tidings_rate_limited_total', {
    help: 'Requests refused by the rate limit of a workspace or of an API key',
    labels: { scope: ['key', 'workspace'] },
    processes: ['gateway'],
  }),
  rpcClient: histogram('tidings_rpc_client_duration_seconds', {
    help: 'Time from a call of an operation of another service to its answer',
    labels: { operation: OPERATION, outcome: OUTCOME },
    buckets: CALL_SECONDS,
    processes: ALL,
  }),
  rpcServer: histogram('tidings_rpc_server_duration_seconds', {
    help: 'Time from the arrival of a call to its answer, the wait for a permit included',
    labels: { operation: `${OPERATION}; \`unknown\` where it is not served`, outcome: OUTCOME },
    buckets: CALL_SECONDS,
    processes: SERVICES,
  }),
  rpcRejected: counter('tidings_rpc_rejected_total', {
    help: 'Requests and replies that were dropped because their signature or their time is wrong',
    labels: { reason: ['unsigned', 'wrong mac', 'unknown key', 'outside the time window', 'malformed', 'not a caller'] },
    processes: ALL,
  }),
  unauthenticatedEvents: counter('tidings_events_unauthenticated_total', {
    help: 'Records of events that were refused because their signature is wrong or absent',
    labels: { topic: TOPIC, reason: ['unsigned', 'wrong mac', 'unknown key'] },
    processes: ALL,
  }),
  consumerLag: gauge('tidings_consumer_lag', {
    help: 'Records of a topic that a group has not handled; every member of the group shows the same',
    labels: { topic: TOPIC, group: 'name of a consumer group' },
    combine: 'max',
    processes: CONSUMERS,
  }),
  deadLetters: gauge('tidings_dead_letters', {
    help: 'Records that could not be processed and wait to be put back; every consumer of the topic shows the same',
    labels: { topic: TOPIC },
    combine: 'max',
    processes: ALL,
  }),
  routed: counter('tidings_messages_routed_total', {
    help: 'Steps of messages that were decided and stored, by lane; a message with several routes has several',
    labels: { lane: LANES },
    processes: ['messaging'],
  }),
  deliveries: counter('tidings_deliveries_total', {
    help: 'Calls of providers that were made, postponed or not attempted, by outcome',
    labels: { channel: 'channel, as `email`', provider: PROVIDER, outcome: DELIVERY_OUTCOMES },
    processes: ['messaging'],
  }),
  suppressed: counter('tidings_suppressed_routes_total', {
    help: 'Routes of messages that failed without a call, since their address is suppressed',
    labels: { channel: SUPPRESSION_CHANNELS, reason: SUPPRESSION_REASONS },
    processes: ['messaging'],
  }),
  attempts: counter('tidings_delivery_attempts_total', {
    help: 'Provider calls, by outcome',
    labels: { provider: PROVIDER, outcome: ['accepted', 'retry', 'failed'] },
    processes: ['messaging'],
  }),
  providerEvents: counter('tidings_provider_events_total', {
    help: 'Events of vendors, by result. `parked`: the message is not stored yet; `dropped`: it was not within 10 minutes',
    labels: { provider: PROVIDER, kind: PROVIDER_EVENT_KINDS, result: ['applied', 'repeated', 'parked', 'dropped'] },
    processes: ['messaging'],
  }),
  recoveredAttempts: counter('tidings_delivery_attempts_recovered_total', {
    help: 'Attempts made again because their process, or its connection to the log, ended before their outcome was stored. Where it is not known whether a message was called it counts: an upper bound of second copies',
    processes: ['messaging'],
  }),
  acceptToProvider: histogram('tidings_accept_to_provider_seconds', {
    help: 'Time from the acceptance of a message (of a delayed one: from its time) to the first answer of a provider',
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3_600],
    processes: ['messaging'],
  }),
  oldestDue: gauge('tidings_oldest_due_delivery_age_seconds', {
    help: 'How long the oldest due delivery, step or expansion waits; 0 where none is due',
    combine: 'max',
    processes: ['messaging'],
  }),
  backlog: gauge('tidings_backlog', {
    help: 'Due deliveries, steps and expansions by lane, counted up to 10,000 of each kind and lane',
    labels: { lane: LANES },
    combine: 'max',
    processes: ['messaging'],
  }),
  breakersOpen: gauge('tidings_provider_breakers_open', {
    help: 'Configurations of providers that this process does not call, because their breaker is open',
    labels: { provider: PROVIDER },
    combine: 'sum',
    processes: ['messaging'],
  }),
  breakerOpenings: counter('tidings_provider_breaker_openings_total', {
    help: 'Times that the breaker of a provider opened',
    labels: { provider: PROVIDER },
    processes: ['messaging'],
  }),
  breakerRefusals: counter('tidings_provider_breaker_refusals_total', {
    help: 'Calls not made because the breaker of their provider was open',
    labels: { provider: PROVIDER },
    processes: ['messaging'],
  }),
  webhookCalls: counter('tidings_webhook_calls_total', {
    help: 'Calls of the receivers of webhooks, by outcome; `refused`: the receiver wants no more, and the webhook is disabled',
    labels: { outcome: WEBHOOK_OUTCOMES },
    processes: ['messaging'],
  }),
  webhookDuration: histogram('tidings_webhook_call_duration_seconds', {
    help: 'Duration of a call of the receiver of a webhook',
    buckets: CALL_SECONDS,
    processes: ['messaging'],
  }),
  webhookOldestDue: gauge('tidings_webhook_oldest_due_age_seconds', {
    help: 'How long the oldest due delivery of a webhook waits whose receiver does not fail; 0 where none is due',
    combine: 'max',
    processes: ['messaging'],
  }),
  workClaimed: counter('tidings_work_claimed_total', {
    help: 'Due rows that were claimed',
    labels: { queue: QUEUE },
    processes: WORKERS,
  }),
  workRecovered: counter('tidings_work_recovered_total', {
    help: 'Claimed rows whose earlier claim had not ended with its lease: its process died, froze or failed',
    labels: { queue: QUEUE },
    processes: WORKERS,
  }),
  workLate: histogram('tidings_work_late_seconds', {
    help: 'How long the oldest row of a claim had been due',
    labels: { queue: QUEUE },
    buckets: [0.1, 0.5, 1, 5, 15, 60, 300, 3_600],
    processes: WORKERS,
  }),
  workCompleted: counter('tidings_work_completed_total', {
    help: 'Claimed rows, or steps, whose work ended',
    labels: { queue: QUEUE },
    processes: WORKERS,
  }),
  workFailed: counter('tidings_work_failed_total', {
    help: 'Claimed rows, or steps, whose work failed: a lease or a pause later it is done again',
    labels: { queue: QUEUE },
    processes: WORKERS,
  }),
  workDuration: histogram('tidings_work_duration_seconds', {
    help: 'Duration of the work on a batch of claimed rows, or of a step',
    labels: { queue: QUEUE },
    buckets: [0.01, 0.05, 0.25, 1, 5, 30, 120, 300],
    processes: WORKERS,
  }),
  outboxAge: gauge('tidings_outbox_oldest_age_seconds', {
    help: 'Age of the oldest committed event that is not published; 0 where none waits',
    combine: 'max',
    processes: SERVICES,
  }),
  poolInUse: gauge('tidings_database_pool_in_use', {
    help: 'Connections of the pool that run a statement or a transaction',
    combine: 'sum',
    processes: SERVICES,
  }),
  poolWaiting: gauge('tidings_database_pool_waiting', {
    help: 'Callers that wait for a connection of the pool',
    combine: 'sum',
    processes: SERVICES,
  }),
  poolSize: gauge('tidings_database_pool_size', {
    help: 'Connections that the pool may open',
    combine: 'sum',
    processes: SERVICES,
  }),
  poolWait: histogram('tidings_database_pool_wait_seconds', {
    help: 'How long callers waited for a connection of the pool',
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 1, 5],
    processes: SERVICES,
  }),
  certificateExpiry: gauge('tidings_certificate_expiry_timestamp_seconds', {
    help: 'When the first certificate of a file ends, Unix time; 0 where no such file is configured',
    labels: { certificate: CERTIFICATES },
    combine: 'max',
    processes: ALL,
  }),
} as const;

/** Those that a process has; `standalone` has all. */
export function metricsOfProcess(process: string): readonly MetricDefinition[] {
  const all: readonly MetricDefinition[] = Object.values(METRICS);
  return process === 'standalone' ? all : all.filter(({ processes }) => processes.some((one) => one === process));
}
