import { TextKey, WorkspaceRow } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';

/** The secret in the callback address of a configuration. */
@Entity('provider_callbacks')
export class ProviderCallbackEntity extends WorkspaceRow {
  @TextKey()
  configurationId!: string;

  /** JSON of `CallbackSecret`, sealed with the key that `keyId` names; in the clear where that is `null`. */
  @Column('bytea')
  secrets!: Buffer;

  @Column({ type: 'text', collation: 'C', nullable: true })
  keyId!: string | null;
}
