import { OUTBOX_MIGRATIONS } from '@tidings/persistence/outbox.migrations';
import { CreateApiKeys1764000000002 } from './create-api-keys';
import { CreateProfiles1764000000003 } from './create-profiles';
import { CreateWorkspaces1764000000001 } from './create-workspaces';

/** Everything that makes the schema `identity`. */
export const IDENTITY_MIGRATIONS = [
  ...OUTBOX_MIGRATIONS,
  CreateWorkspaces1764000000001,
  CreateApiKeys1764000000002,
  CreateProfiles1764000000003,
] as const;
