import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { EventLog } from '@tidings/events/event-log';
import type { DatabaseSettings } from '@tidings/persistence/connection';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { RpcTransport } from '@tidings/rpc/transport';
import { watchDatabase } from './watch-database';
import type { HealthRegistry } from './health';

/** Resources of a service at its start, in every mode of operation. */
export interface ServiceResources {
  /** Connects with the service's own role. */
  databaseUrl: string;
  /** How an operator connects the service. Default: directly, with migrations at the start. */
  database?: DatabaseSettings;
  events: EventLog;
  client: OperationClient;
  /** Readiness of the process, for the status of the service. Default: that its database and the log answer. */
  health?: Pick<HealthRegistry, 'ready'>;
}

/** A started service. */
export type RunningService = Awaited<ReturnType<typeof startService>>;

/**
 * Starts a service on a transport and resolves when it answers. A failed start closes the service and rejects with the reason.
 * Logs go to the logger that the process set by `Logger.overrideLogger`.
 */
export async function startService(name: ServiceName, module: DynamicModule, transport: RpcTransport) {
  const strategy = transport.server(name);
  const service = await NestFactory.createMicroservice(module, { strategy, abortOnError: false }).catch(async (error: unknown) => {
    await strategy.close(); // it would refuse the next attempt
    throw error;
  });
  try {
    await service.listen();
  } catch (error) {
    await service.close().catch(() => undefined); // the first error names the cause
    throw error;
  }

  /** A provider of the service's module, for tests and for the process itself. */
  const get = <T>(token: Type<T> | (abstract new (...parameters: never[]) => T) | string | symbol) =>
    service.get<T>(token, { strict: false });
  const endMetrics = watchDatabase({ get });
  let stopped: Promise<void> | undefined;
  return {
    get,
    /** Finishes the open calls, then closes the module's resources; idempotent. */
    stop: () => {
      endMetrics();
      return (stopped ??= service.close());
    },
  };
}
