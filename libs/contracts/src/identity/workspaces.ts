import { Type } from 'class-transformer';
import {
  IsArray,
  IsBoolean,
  IsDefined,
  IsEmail,
  IsIn,
  IsInt,
  IsOptional,
  IsString,
  IsUUID,
  Length,
  Matches,
  Max,
  Min,
  ValidateNested,
} from 'class-validator';
import type { KeyMode } from '../core/context';
import { defineOperation } from '../core/operation';
import { IsOneLine } from '../core/one-line';
import { CursorQuery, PAGE_LIMIT_MAX, Paging } from '../core/paging';

const WORKSPACE_NAME_LENGTH_MAX = 100;
/** Any visible ASCII: what fits into an `Authorization` header as it is. */
export const API_KEY_FORMAT = /^[\x21-\x7e]{1,200}$/;

export class EnsureWorkspace {
  /** Unique among all workspaces; `default` is the first one of an installation. */
  @IsString()
  @Length(1, WORKSPACE_NAME_LENGTH_MAX)
  name!: string;

  /** Takes the place of the address that a workspace of this name has. */
  @IsEmail()
  account_email!: string;

  /** The caller draws the key, so that it can keep and show it: only the hash is stored. */
  @Matches(API_KEY_FORMAT)
  key!: string;

  @IsIn(['production', 'test'])
  mode!: KeyMode;
}

export class EnsuredWorkspace {
  @IsUUID()
  workspace_id!: string;

  @IsUUID()
  key_id!: string;

  /** Whether this call made the workspace; of any number of calls at once exactly one did. */
  @IsBoolean()
  created!: boolean;
}

export class CreateWorkspace {
  /** Unique among all workspaces. */
  @IsString()
  @Length(1, WORKSPACE_NAME_LENGTH_MAX)
  @IsOneLine()
  name!: string;

  /** The user name of Basic authentication with the workspace's keys. */
  @IsEmail()
  account_email!: string;
}

export class PageWorkspaces extends CursorQuery {
  /** Only the workspace of exactly this name. */
  @IsOptional()
  @IsString()
  @Length(1, WORKSPACE_NAME_LENGTH_MAX)
  name?: string;

  @IsOptional()
  @IsInt()
  @Min(1)
  @Max(PAGE_LIMIT_MAX)
  limit?: number;
}

export class Workspace {
  @IsUUID()
  workspace_id!: string;

  @IsString()
  name!: string;

  @IsEmail()
  account_email!: string;

  /** ISO 8601. */
  @IsString()
  created_at!: string;
}

export class WorkspacePage {
  @IsDefined()
  @ValidateNested()
  @Type(() => Paging)
  paging!: Paging;

  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => Workspace)
  results!: Workspace[];
}

export const workspaces = {
  /** Of the whole installation: for operators. The newest first. */
  page: defineOperation({
    pattern: 'identity.workspaces.page',
    scope: 'internal',
    summary: 'List workspaces',
    request: PageWorkspaces,
    response: WorkspacePage,
    repeatable: true,
  }),
  /** `conflict` when there is one of this name. Nothing opens it until it has a key. */
  create: defineOperation({
    pattern: 'identity.workspaces.create',
    scope: 'internal',
    summary: 'Make a workspace',
    request: CreateWorkspace,
    response: Workspace,
  }),
  /**
   * The workspace of this name exists and the key opens it, whatever was there before: asking again is asking once.
   * Another key adds to those the workspace has. `conflict` when the key belongs to another workspace, has the other
   * mode, or was revoked: a revoked key never comes back.
   */
  ensure: defineOperation({
    pattern: 'identity.workspaces.ensure',
    scope: 'internal',
    summary: 'Make a workspace and its key, unless they are there',
    request: EnsureWorkspace,
    response: EnsuredWorkspace,
  }),
};
