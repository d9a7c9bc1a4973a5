import { Column, Entity, PrimaryColumn, VirtualColumn } from 'typeorm';
import type { Workspace } from '@tidings/contracts/identity/workspaces';
import { exactInstant } from '@tidings/persistence/exact-instant';

@Entity('workspaces')
export class WorkspaceEntity {
  @PrimaryColumn('uuid')
  id!: string;

  @Column('text', { unique: true })
  name!: string;

  @Column('text', { name: 'account_email' })
  accountEmail!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @VirtualColumn({ type: 'text', select: false, query: (workspace) => exactInstant(`${workspace}.created_at`) })
  readonly exactCreatedAt?: string;
}

export function toWorkspace({ id, name, accountEmail, createdAt }: WorkspaceEntity): Workspace {
  return { workspace_id: id, name, account_email: accountEmail, created_at: createdAt.toISOString() };
}
