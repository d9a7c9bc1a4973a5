import { Nullable, Timestamp } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Quotas } from '@tidings/contracts/core/quotas';
import type { Workspace } from '@tidings/contracts/identity/workspaces';

@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { unique: true })
  name: string;

  @Column('text')
  accountEmail: string;

  @Timestamp()
  createdAt: Date;

  /** `50/s`, or `none`; null: the installation's default. */
  @Nullable('text')
  rateLimit: string | null;

  @Column('jsonb', { default: {} })
  quotas: Quotas;
}

export function toWorkspace({ id, name, accountEmail, createdAt }: WorkspaceEntity): Workspace {
  return { workspace_id: id, name, account_email: accountEmail, created_at: createdAt.toISOString() };
}
