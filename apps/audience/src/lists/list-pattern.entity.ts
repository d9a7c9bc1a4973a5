import { TextKey, WorkspaceRow } from '@tidings/persistence/rows';
import { Entity } from 'typeorm';

/** A pattern that a list matches. Deleted lists have none. */
@Entity('list_patterns')
export class ListPatternEntity extends WorkspaceRow {
  @TextKey()
  pattern!: string;

  @TextKey()
  listId!: string;
}
