import { Module } from '@nestjs/common';
import { TenantsModule } from '../tenants/tenants.module';
import { ErasureHandlers } from './erasure.handlers';

/** Erasure of a user in identity. */
@Module({ imports: [TenantsModule], controllers: [ErasureHandlers] })
export class ErasureModule {}
