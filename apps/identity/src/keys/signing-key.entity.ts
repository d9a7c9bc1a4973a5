import { Nullable, Timestamp } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that signs tokens, or verifies those it signed before it was retired. At most one is not retired. */
@Entity('signing_keys')
export class SigningKeyEntity {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  publicKey: string;

  /** PEM, encrypted where `sealed`; null for a retired key. */
  @Nullable('bytea')
  privateKey: Buffer | null;

  @Column('boolean')
  sealed: boolean;

  /** Id of the secret key that sealed the private key; null where it is not sealed, or an earlier version sealed it. */
  @Nullable('text')
  keyId: string | null;

  @Timestamp()
  createdAt: Date;

  @Nullable('timestamptz')
  retiredAt: Date | null;
}
