import { Module } from '@nestjs/common';
import { WorkspacesHandlers } from './workspaces.handlers';

/** Workspaces. */
@Module({ controllers: [WorkspacesHandlers] })
export class WorkspacesModule {}
