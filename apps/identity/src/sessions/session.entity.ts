import { Nullable, Timestamp } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { SessionRole } from '@tidings/contracts/identity/sessions';

/** A session of the console. It has a key or a role; a role of people has a person, that of operators an operator. */
@Entity('sessions')
export class SessionEntity {
  @PrimaryColumn('uuid')
  id: string;

  /** SHA-256 of the id in the cookie. */
  @Column({ type: 'bytea', unique: true })
  hash: Buffer;

  /** Null for an operator. */
  @Nullable('uuid')
  workspaceId: string | null;

  /** Null where a role decides what it may do. */
  @Nullable('uuid')
  keyId: string | null;

  @Nullable('text')
  role: SessionRole | null;

  /** Name of the operator. */
  @Nullable('text')
  operator: string | null;

  /** `SigningOperator.proof`. */
  @Nullable('text')
  proof: string | null;

  /** The issuer's subject. */
  @Nullable('text')
  personId: string | null;

  @Nullable('text')
  personName: string | null;

  @Timestamp()
  createdAt: Date;

  /** The last use, to the minute. */
  @Timestamp()
  usedAt: Date;

  /** It ends so long after its last use. */
  @Column('integer')
  idleSeconds: number;

  /** When it ends, however much it is used. */
  @Column('timestamptz')
  endsAt: Date;
}

/** A code that opens one session of a key. */
@Entity('session_codes')
export class SessionCodeEntity {
  /** SHA-256 of the code. */
  @PrimaryColumn('bytea')
  hash: Buffer;

  @Column('uuid')
  workspaceId: string;

  @Column('uuid')
  keyId: string;

  @Column('timestamptz')
  endsAt: Date;
}
