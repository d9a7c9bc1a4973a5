import type { DynamicModule, INestMicroservice, Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import type { ServiceName } from '@tidings/contracts/core/operation';
import type { EventLog } from '@tidings/events/event-log';
import type { OperationClient } from '@tidings/rpc/operation-client';
import type { RpcTransport } from '@tidings/rpc/transport';

/** What a service is given at start, whichever way the system runs. */
export interface ServiceResources {
  /** Connects with the service's own role. */
  databaseUrl: string;
  events: EventLog;
  client: OperationClient;
}

export interface RunningService {
  readonly name: ServiceName;
  /** A provider of the service's module; for tests and for what the process itself has to ask. */
  get<T>(token: Type<T> | (abstract new (...parameters: never[]) => T) | string | symbol): T;
  /** Finishes the calls at work, then closes what the module holds. Again is the same as once. */
  stop(): Promise<void>;
}

/**
 * Starts a service on a transport and resolves when it answers. What could not be started is closed again, and the reason thrown.
 * Logs go where `Logger.overrideLogger` of the process sends them.
 */
export async function startService(name: ServiceName, module: DynamicModule, transport: RpcTransport): Promise<RunningService> {
  const service = await NestFactory.createMicroservice(module, { strategy: transport.server(name), abortOnError: false });
  try {
    await service.listen();
  } catch (error) {
    await service.close().catch(() => undefined); // the first error is the one that says why
    throw error;
  }

  let stopped: Promise<void> | undefined;
  return {
    name,
    get: <T>(token: Parameters<INestMicroservice['get']>[0]) => service.get<T>(token, { strict: false }),
    stop: () => (stopped ??= service.close()),
  };
}
