import { Module } from '@nestjs/common';
import { RenderingModule } from '../rendering/rendering.module';
import { TenantTemplatesHandlers } from './tenant-templates.handlers';

/** Templates of tenants. */
@Module({ imports: [RenderingModule], controllers: [TenantTemplatesHandlers] })
export class TenantTemplatesModule {}
