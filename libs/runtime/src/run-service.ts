import type { DynamicModule } from '@nestjs/common';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { Configuration } from './configuration';
import { joinKafka } from './connect-kafka';
import { DatabaseProbe } from './database-probe';
import { type ProcessContext, runProcess } from './run-process';
import { type RunningService, type ServiceResources, startService } from './service';

interface ServiceProcess {
  name: Exclude<ServiceName, 'gateway'>;
  /**
   * The service's module with what its process gives it. The configuration comes first, before anything is waited for, so that
   * what is wrong with it is said at once.
   */
  module: (configuration: Configuration) => (resources: ServiceResources) => DynamicModule;
  /** What has to be done once, before the process is ready. */
  prepare?: (service: RunningService, context: ProcessContext) => Promise<void>;
}

/** Runs a service in a process of its own: on its PostgreSQL, answering over Kafka. Waits for both; not ready while one is away. */
export function runService({ name, module, prepare }: ServiceProcess): void {
  runProcess(name, async (context) => {
    const { configuration, health, waitFor, onStop } = context;
    const register = module(configuration);
    const databaseUrl = configuration.databaseUrl!; // required of every service
    const probe = new DatabaseProbe(databaseUrl, name);
    onStop('the database probe', () => probe.close());
    await waitFor(`PostgreSQL at ${probe.target}`, () => probe.check());
    const { events, transport } = await joinKafka(context);
    const resources: ServiceResources = { databaseUrl, events, client: transport.client() };

    const service = await waitFor('PostgreSQL and Kafka', () => startService(name, register(resources), transport));
    onStop(name, () => service.stop());
    health.register('database', () => probe.check());
    await prepare?.(service, context);
    context.logger.log('Ready', 'Start');
  });
}
