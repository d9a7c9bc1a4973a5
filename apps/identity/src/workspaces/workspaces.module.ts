import { type DynamicModule, Module } from '@nestjs/common';
import { FIRST_KEY, type FirstKey, FirstWorkspace } from './first-workspace';
import { WorkspacesHandlers } from './workspaces.handlers';

/** Workspaces. */
@Module({ controllers: [WorkspacesHandlers], providers: [WorkspacesHandlers] })
export class WorkspacesModule {
  /** @param first the key of the first workspace, which is created at the start; undefined: none is created. */
  static with(first?: FirstKey): DynamicModule {
    return { module: WorkspacesModule, providers: first ? [FirstWorkspace, { provide: FIRST_KEY, useValue: first }] : [] };
  }
}
