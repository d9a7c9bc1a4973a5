import { WorkspaceRow } from '@tidings/persistence/rows';
import { Entity, PrimaryColumn } from 'typeorm';

/** A pattern that a list matches. Deleted lists have none. */
@Entity('list_patterns')
export class ListPatternEntity extends WorkspaceRow {
  @PrimaryColumn('text', { collation: 'C' })
  pattern!: string;

  @PrimaryColumn('text', { collation: 'C' })
  listId!: string;
}
