import { Entity, PrimaryColumn } from 'typeorm';

/** A pattern that a list matches. Deleted lists have none. */
@Entity('list_patterns')
export class ListPatternEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { collation: 'C' })
  pattern!: string;

  @PrimaryColumn('text', { name: 'list_id', collation: 'C' })
  listId!: string;
}
