import { CreateSealing1796500000000 } from '@tidings/persistence/sealing.migrations';
import { CreateWorkspaces1764000000001 } from './create-workspaces';
import { CreateApiKeys1764000000002 } from './create-api-keys';
import { CreateProfiles1764000000003 } from './create-profiles';
import { CreateTenants1764000000010 } from './create-tenants';
import { CreatePushTokens1764000000020 } from './create-push-tokens';
import { CreatePreferenceTopics1764000000030 } from './create-preference-topics';
import { CreatePreferenceChanges1796800000000 } from './create-preference-changes';
import { CreateUserPreferences1764000000031 } from './create-user-preferences';
import { CreateAuditEvents1764000000040 } from './create-audit-events';
import { DescribeApiKeys1764000000041 } from './describe-api-keys';
import { CreateSigningKeys1764000000042 } from './create-signing-keys';
import { AddLimits1795911600001 } from './add-limits';
import { CreateTenantMoves1764000000050 } from './create-tenant-moves';
import { IndexRemovedPreferences1796910000000 } from './index-removed-preferences';
import { IndexUsers1796900000000 } from './index-users';
import { LimitApiKeys1796000000000 } from './limit-api-keys';
import { ExtendAuditEvents1796000000002 } from './extend-audit-events';
import { CreateSessions1796810000000 } from './create-sessions';
import { NameSealingKeys1796700000000 } from './name-sealing-keys';
import { NameSessionPersons1797000000000 } from './name-session-persons';
import { NoteKeyUses1796910000001 } from './note-key-uses';
import { WatchChanges1796000000001 } from './watch-changes';

/** What makes the schema `identity`, beside the outbox. */
export const IDENTITY_MIGRATIONS = [
  CreateWorkspaces1764000000001,
  CreateApiKeys1764000000002,
  CreateProfiles1764000000003,
  CreateTenants1764000000010,
  CreatePushTokens1764000000020,
  CreatePreferenceTopics1764000000030,
  CreateUserPreferences1764000000031,
  CreateAuditEvents1764000000040,
  DescribeApiKeys1764000000041,
  CreateSigningKeys1764000000042,
  CreateTenantMoves1764000000050,
  AddLimits1795911600001,
  LimitApiKeys1796000000000,
  WatchChanges1796000000001,
  ExtendAuditEvents1796000000002,
  CreateSealing1796500000000,
  NameSealingKeys1796700000000,
  CreatePreferenceChanges1796800000000,
  CreateSessions1796810000000,
  IndexUsers1796900000000,
  IndexRemovedPreferences1796910000000,
  NoteKeyUses1796910000001,
  NameSessionPersons1797000000000,
] as const;
