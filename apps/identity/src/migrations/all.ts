import { CreateApiKeys1764000000002 } from './create-api-keys';
import { CreateProfiles1764000000003 } from './create-profiles';
import { CreateWorkspaces1764000000001 } from './create-workspaces';

/** What makes the schema `identity`, beside the outbox. */
export const IDENTITY_MIGRATIONS = [CreateWorkspaces1764000000001, CreateApiKeys1764000000002, CreateProfiles1764000000003] as const;
