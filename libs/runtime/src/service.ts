import type { DynamicModule, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { EventLog } from '@tidings/events/event-log';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { RpcTransport } from '@tidings/rpc/transport';

/** Resources of a service at its start, in every mode of operation. */
export interface ServiceResources {
  /** Connects with the service's own role. */
  databaseUrl: string;
  events: EventLog;
  client: OperationClient;
}

/** A started service. */
export type RunningService = Awaited<ReturnType<typeof startService>>;

/**
 * Starts a service on a transport and resolves when it answers. A failed start closes the service and rejects with the reason.
 * Logs go to the logger that the process set by `Logger.overrideLogger`.
 */
export async function startService(name: ServiceName, module: DynamicModule, transport: RpcTransport) {
  const service = await NestFactory.createMicroservice(module, { strategy: transport.server(name), abortOnError: false });
  try {
    await service.listen();
  } catch (error) {
    await service.close().catch(() => undefined); // the first error names the cause
    throw error;
  }

  let stopped: Promise<void> | undefined;
  return {
    /** A provider of the service's module, for tests and for the process itself. */
    get: <T>(token: Type<T> | (abstract new (...parameters: never[]) => T) | string | symbol) => service.get<T>(token, { strict: false }),
    /** Finishes the open calls, then closes the module's resources; idempotent. */
    stop: () => (stopped ??= service.close()),
  };
}
