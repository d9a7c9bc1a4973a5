import { Module } from '@nestjs/common';
import { ProfilesModule } from '../profiles/profiles.module';
import { AccountsHandlers } from './accounts.handlers';
import { Memberships } from './memberships';
import { MembershipsHandlers } from './memberships.handlers';
import { TenantMembersHandlers } from './tenant-members.handlers';
import { TenantsHandlers } from './tenants.handlers';
import { UserTenantsHandlers } from './user-tenants.handlers';

/** Tenants and their members. Accounts, their older name, use the handlers of tenants. */
@Module({
  imports: [ProfilesModule],
  controllers: [TenantsHandlers, UserTenantsHandlers, TenantMembersHandlers, MembershipsHandlers, AccountsHandlers],
  providers: [TenantsHandlers, Memberships],
  exports: [Memberships],
})
export class TenantsModule {}
