import { WorkspaceRow } from '@tidings/persistence/rows';
import { Column } from 'typeorm';

export { Nullable, TextKey } from '@tidings/persistence/rows';

/** A row with the time of its creation in ms, as clients see it. */
export abstract class CreatedRow extends WorkspaceRow {
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  createdAt: Date;
}

/** With the time of its last change too. */
export abstract class ChangedRow extends CreatedRow {
  @Column({ type: 'timestamptz', precision: 3, default: () => 'now()' })
  updatedAt: Date;
}
