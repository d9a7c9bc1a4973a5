import 'reflect-metadata';
import { joinKafka } from '@tidings/runtime/connect-kafka';
import { isDebugging } from '@tidings/runtime/configuration';
import { runProcess } from '@tidings/runtime/run-process';
import { startGateway } from './start-gateway';

/** The gateway in a process of its own: appends events to Kafka, calls the services over Kafka. */
runProcess(
  'gateway',
  async (context) => {
    const { configuration, health, publicMetrics, waitFor, releasePort } = context;
    const { events, transport } = await joinKafka(context);
    const client = transport.client();
    const gateway = await waitFor('Kafka', () =>
      startGateway({
        port: configuration.port,
        host: configuration.host,
        client,
        events,
        health,
        metrics: publicMetrics?.registry,
        topicPrefix: configuration.kafka?.topicPrefix,
        adminKey: configuration.adminKey,
        logsRequests: isDebugging(configuration),
        corsOrigins: configuration.corsOrigins,
        adminKeys: configuration.adminKeys,
        oidc: configuration.oidc,
        consoleUrl: configuration.consoleUrl,
        secretKeys: configuration.secretKeys,
        publicUrl: configuration.publicUrl,
        beforeListening: releasePort,
      }),
    );
    context.onStop('the gateway', () => gateway.stop());
    context.logger.log(`Ready at ${gateway.url}`, 'Start');
  },
  { servesHttp: true },
);
