import { DatedRow, Nullable, TextKey } from '@tidings/persistence/rows';
import { Column, DeleteDateColumn, Entity } from 'typeorm';
import type { List } from '@tidings/contracts/audience/lists';
import type { RecipientPreferences } from '@tidings/contracts/core/preferences';

/**
 * A list. Queries skip deleted lists unless they say `withDeleted`. `setId` refers to its current subscriber set. `updatedAt`: when it
 * was last put or restored; a deletion does not change it.
 */
@Entity('lists')
export class ListEntity extends DatedRow {
  @TextKey({ name: 'list_id' })
  id!: string;

  @Column('text')
  name!: string;

  @Nullable('jsonb')
  preferences!: RecipientPreferences | null;

  @Column('bigint')
  setId!: string;

  @DeleteDateColumn({ type: 'timestamptz', nullable: true })
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
    preferences: preferences ?? undefined,
  };
}
