import { TextKey, Timestamp, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';
import type { StoredRecipientPreferences } from '@tidings/contracts/identity/recipient-preferences';

/** A user's preferences in the older map form. */
@Entity('recipient_preferences')
export class RecipientPreferencesEntity extends WorkspaceRow {
  @TextKey()
  userId: string;

  @Column('jsonb')
  preferences: StoredRecipientPreferences;

  @Timestamp()
  updatedAt: Date;
}
