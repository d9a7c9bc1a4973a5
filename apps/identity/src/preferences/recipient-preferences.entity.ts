import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { StoredRecipientPreferences } from '@tidings/contracts/identity/recipient-preferences';

/** A user's preferences in the older map form. */
@Entity('recipient_preferences')
export class RecipientPreferencesEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'user_id', collation: 'C' })
  userId!: string;

  @Column('jsonb')
  preferences!: StoredRecipientPreferences;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}
