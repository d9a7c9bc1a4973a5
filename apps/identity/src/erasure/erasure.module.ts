import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { TenantsModule } from '../tenants/tenants.module';
import { ErasureHandlers } from './erasure.handlers';

/** Erasure of a user in identity. */
@Module({ imports: [ProfilesModule, TenantsModule], controllers: [ErasureHandlers] })
export class ErasureModule {}
