import { Column, DeleteDateColumn, Entity, PrimaryColumn } from 'typeorm';
import type { List } from '@tidings/contracts/audience/lists';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';

/** A list. Queries skip deleted lists unless they say `withDeleted`. `setId` refers to its current subscriber set. */
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

  /** When the list was last put or restored. A deletion does not change it. */
  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;

  @DeleteDateColumn({ type: 'timestamptz', name: 'deleted_at', nullable: true })
  deletedAt!: Date | null;
}

/** The columns of a list's response. */
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
