import type { EventLog } from '@tidings/events/event-log';
import { KafkaEventLog } from '@tidings/events/kafka/kafka-event-log';
import type { KafkaSettings } from '@tidings/events/kafka/settings';
import { KafkaTransport } from '@tidings/rpc/kafka/kafka-transport';
import type { RpcTransport } from '@tidings/rpc/transport';
import type { ProcessContext } from './run-process';

/** What a process does over Kafka: events and operations. */
export interface KafkaConnection {
  events: EventLog;
  transport: RpcTransport;
  /** Answers what is under way, flushes what was accepted, leaves the cluster. */
  close(): Promise<void>;
}

/**
 * Connects event log and operations to a cluster. What had connected is closed again when the other cannot.
 * @param clientId what the brokers' logs and quotas call the process.
 * @throws ServiceError `unavailable` when the cluster is away, Error when one of its topics cannot do its work.
 */
export async function connectKafka(settings: KafkaSettings, clientId: string): Promise<KafkaConnection> {
  const [log, rpc] = await Promise.allSettled([
    KafkaEventLog.connect({ settings, clientId }),
    KafkaTransport.connect({ settings, clientId }),
  ]);
  if (log.status === 'fulfilled' && rpc.status === 'fulfilled') {
    const [events, transport] = [log.value, rpc.value];
    return {
      events,
      transport,
      close: async () => {
        await transport.close();
        await events.close();
      },
    };
  }
  const failed = [log, rpc].filter((outcome) => outcome.status === 'rejected');
  const connected = [log, rpc].filter((outcome) => outcome.status === 'fulfilled');
  await Promise.allSettled(connected.map(({ value }) => value.close()));
  throw failed[0]!.reason;
}

/** Connects a process as soon as the cluster is there, for as long as it runs; readiness tells of both. */
export async function joinKafka({ name, configuration, health, waitFor, onStop }: ProcessContext): Promise<KafkaConnection> {
  const settings = configuration.kafka!; // its brokers are required of whoever comes here
  const kafka = await waitFor(`Kafka at ${settings.brokers.join(', ')}`, () => connectKafka(settings, `tidings-${name}`));
  onStop('Kafka', () => kafka.close());
  health.register('event log', async () => {
    if (!(await kafka.events.ready())) throw new Error('the event log takes nothing now');
  });
  health.register('rpc', async () => {
    if (!(await kafka.transport.ready())) throw new Error('no operation can be called now');
  });
  return kafka;
}
