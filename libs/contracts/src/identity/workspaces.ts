import { IsEmail, Matches } from 'class-validator';
import type { KeyMode } from '../core/context';
import { Mode, Optional, OptionalLimit, OptionalTextOf, Text, TextOf, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import { IsOneLine } from '../core/one-line';
import { CursorQuery, PAGE_LIMIT_MAX, pageOf } from '../core/paging';

const WORKSPACE_NAME_LENGTH_MAX = 100;
const IsAccountEmail = IsEmail({}, { message: '$property must be one e-mail address, such as ops@example.com' });

export class EnsureWorkspace {
  /** Unique among all workspaces; `default` is the first one of an installation. */
  @TextOf(1, WORKSPACE_NAME_LENGTH_MAX) name: string;

  /** Replaces the address of an existing workspace of this name. */
  @IsAccountEmail account_email: string;

  /** `hashApiKey` of the key, which the caller alone knows. */
  @Matches(/^[0-9a-f]{64}$/) hash: string;

  /** The key's last four characters; absent for a short one. */
  @OptionalTextOf(4, 4) hint?: string;

  @Mode mode: KeyMode;
}

export class EnsuredWorkspace {
  workspace_id: string;

  key_id: string;

  /** Whether this call created the workspace; true for exactly one of concurrent calls. */
  created: boolean;
}

export class CreateWorkspace {
  /** Name of the workspace, unique in the installation. @example "acme" */
  @TextOf(1, WORKSPACE_NAME_LENGTH_MAX)
  @IsOneLine
  name: string;

  /** E-mail address of the account: the user name of Basic authentication with the workspace's keys. @example "ops@example.com" */
  @IsAccountEmail account_email: string;
}

export class PageWorkspaces extends CursorQuery {
  /** Only the workspace with this id. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Optional(Uuid) id?: string;

  /** Only the workspace of exactly this name. */
  @OptionalTextOf(1, WORKSPACE_NAME_LENGTH_MAX) name?: string;

  /** The most items of a page, 1 to 100. Default 20. @example 50 */
  @OptionalLimit(PAGE_LIMIT_MAX) limit?: number;
}

export class Workspace {
  /** Id of the workspace. @example "6f1c0e3a-7d0b-4c7e-9a44-0d6b6a3f2e11" */
  @Uuid workspace_id: string;

  /** Name of the workspace, unique in the installation. @example "acme" */
  @Text name: string;

  /** E-mail address of the account: the user name of Basic authentication with the workspace's keys. @example "ops@example.com" */
  @IsAccountEmail account_email: string;

  /** When it was created: ISO 8601 in UTC. @example "2026-03-01T10:00:00.000Z" */
  @Text created_at: string;
}

/** @property results The workspaces of this page, the newest first. */
export class WorkspacePage extends pageOf(Workspace) {}

export const workspaces = defineOperations('identity.workspaces', 'internal', {
  /** All workspaces of the installation, newest first; for operators. */
  page: {
    summary: 'List workspaces',
    request: PageWorkspaces,
    response: WorkspacePage,
    repeatable: true,
  },
  /** `conflict` if the name is in use. The workspace is inaccessible until it has a key. */
  create: {
    audit: 'own',
    command: true,
    summary: 'Create a workspace',
    request: CreateWorkspace,
    response: Workspace,
  },
  /**
   * Ensures that the workspace exists and that the key gives access to it. Idempotent. Another key is added to those of the workspace.
   * `conflict` if the key belongs to another workspace, has the other mode, or was revoked: a revoked key is never restored.
   */
  ensure: {
    summary: 'Create a workspace and its key, unless they exist',
    request: EnsureWorkspace,
    response: EnsuredWorkspace,
  },
});
