import { type DynamicModule, type FactoryProvider, Module, type ValueProvider } from '@nestjs/common';

/** Injects the `EventLog` of the process. */
export const EVENT_LOG = Symbol('EventLog');

/** What a service gets from its process, as providers that every module of the service sees: clocks, options, the log, the client. */
@Module({})
export class ResourcesModule {
  static of(resources: readonly (ValueProvider | FactoryProvider)[]): DynamicModule {
    return { module: ResourcesModule, global: true, providers: [...resources], exports: resources.map(({ provide }) => provide) };
  }
}
