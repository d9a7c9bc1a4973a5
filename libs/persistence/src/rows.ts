import { Column, type ColumnType, DefaultNamingStrategy, PrimaryColumn } from 'typeorm';

/** A text of the key. Compared byte by byte: its order does not depend on the server's locale. */
export const TextKey = (options?: { name: string }) => PrimaryColumn('text', { collation: 'C', ...options });

/** A column that may be null. Its type is given, as the metadata of a union has none. */
export const Nullable = (type: ColumnType) => Column({ type, nullable: true });

/** A list of texts. */
export const TextArray = () => Column('text', { array: true });

/** A time; of the insertion, unless it is given. */
export const Timestamp = () => Column('timestamptz', { default: () => 'now()' });

/** A row of a workspace; its key begins with the workspace. */
export abstract class WorkspaceRow {
  @PrimaryColumn('uuid')
  workspaceId!: string;
}

/** With the times of its creation and its last change. */
export abstract class DatedRow extends WorkspaceRow {
  @Timestamp()
  createdAt!: Date;

  @Timestamp()
  updatedAt!: Date;
}

/** The property `createdAt` is the column `created_at`. */
export class SnakeCaseColumns extends DefaultNamingStrategy {
  override columnName(property: string, given: string | undefined) {
    return given ?? property.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}
