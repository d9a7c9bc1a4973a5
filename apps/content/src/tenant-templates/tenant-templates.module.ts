import { Module } from '@nestjs/common';
import { TenantTemplatesHandlers } from './tenant-templates.handlers';

/** Templates of tenants. */
@Module({ controllers: [TenantTemplatesHandlers] })
export class TenantTemplatesModule {}
