import type { QueuedEventLog } from '@tidings/events/queued-event-log';
import { consumedTopics } from '@tidings/events/topic-access';
import { METRICS, metricsOfProcess } from './metric-table';
import { metrics } from './metrics';

/** Each costs requests to the log. */
const LAG_INTERVAL_MS = 10_000;
/** New dead letters are counted by reading their topic. */
const DEAD_LETTERS_INTERVAL_MS = 30_000;

/** The part of an event log that is watched. */
export type WatchedLog = Pick<QueuedEventLog<unknown, unknown>, 'consumerLag' | 'deadLetters'>;

/**
 * Shows the lag of the groups of this process, and the dead letters of the topics that it consumes, in its metrics. Returns the function
 * that ends this.
 * @param process its name; `standalone` consumes all topics.
 */
export function watchEventLog(log: WatchedLog, process: string): () => void {
  const topics = consumedTopics(process);
  const readLag = async () => (await log.consumerLag()).map(({ topic, group, records }) => ({ labels: { topic, group }, value: records }));
  const readDead = () =>
    Promise.all(topics.map(async ({ topic }) => ({ labels: { topic: topic.topic }, value: await log.deadLetters.count(topic) })));
  // Some consume only broadcasts, which have no groups.
  const hasGroups = metricsOfProcess(process).some(({ name }) => name === METRICS.consumerLag.name);
  const ends = [
    ...(hasGroups ? [metrics.read(METRICS.consumerLag, readLag, LAG_INTERVAL_MS)] : []),
    metrics.read(METRICS.deadLetters, readDead, DEAD_LETTERS_INTERVAL_MS),
  ];
  return () => ends.forEach((end) => end());
}
