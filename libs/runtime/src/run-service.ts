import type { DynamicModule } from '@nestjs/common';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { Configuration } from './configuration';
import { joinKafka } from './connect-kafka';
import { DatabaseProbe } from './database-probe';
import { runProcess } from './run-process';
import { type ServiceResources, startService } from './service';

interface ServiceProcess {
  name: Exclude<ServiceName, 'gateway'>;
  /**
   * The service's module, from configuration and resources. The configuration is applied before any wait, so that its errors are
   * reported at once.
   */
  module: (configuration: Configuration) => (resources: ServiceResources) => DynamicModule;
}

/** Runs a service in a process of its own, with PostgreSQL and Kafka. Waits for both; not ready while one is unavailable. */
export function runService({ name, module }: ServiceProcess) {
  runProcess(name, async (context) => {
    const { configuration, health, waitFor, onStop } = context;
    const register = module(configuration);
    const databaseUrl = configuration.databaseUrl!; // required of every service
    const probe = new DatabaseProbe(databaseUrl, name);
    onStop('the database probe', () => probe.close());
    await waitFor(`PostgreSQL at ${probe.target}`, () => probe.check());
    const { events, transport } = await joinKafka(context);
    const resources: ServiceResources = { databaseUrl, database: configuration.database, events, client: transport.client(), health };

    const service = await waitFor('PostgreSQL and Kafka', () => startService(name, register(resources), transport));
    onStop(name, () => service.stop());
    health.register('database', () => probe.check());
    context.logger.log('Ready', 'Start');
  });
}
