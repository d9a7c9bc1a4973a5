import { Column, DeleteDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { List } from '@tidings/contracts/audience/lists';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';

/** A list; deleted ones are read with `withDeleted` only. Its subscribers are those of the set it points to. */
@Entity('lists')
export class ListEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'list_id', collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('jsonb', { nullable: true })
  preferences!: RecipientPreferences | null;

  @Column('bigint', { name: 'set_id' })
  setId!: string;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  /** When name or preferences were put, or the list was restored: not when it was deleted. */
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;

  @DeleteDateColumn({ type: 'timestamptz', name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

/** The columns that a list is answered from. */
export type ListRow = Pick<ListEntity, 'id' | 'name' | 'preferences' | 'createdAt' | 'updatedAt'>;

export function toList({ id, name, preferences, createdAt, updatedAt }: ListRow): List {
  return {
    id,
    name,
    created: createdAt.toISOString(),
    updated: updatedAt.toISOString(),
    ...(preferences !== null && { preferences }),
  };
}
