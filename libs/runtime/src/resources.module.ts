import { type DynamicModule, type FactoryProvider, Module, type ValueProvider } from '@nestjs/common';

/** Injects the `EventLog` of the process. */
export const EVENT_LOG = Symbol('EventLog');

/** Providers that every module of a service sees: clocks, options, the log and the client of its process, and what it makes of them once. */
@Module({})
export class ResourcesModule {
  static of(resources: readonly (ValueProvider | FactoryProvider)[]): DynamicModule {
    return { module: ResourcesModule, global: true, providers: [...resources], exports: resources.map(({ provide }) => provide) };
  }
}
