import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { unavailable } from '@tidings/contracts/core/errors';
import { SIGNING_KEYS_MAX, TOKEN_ALGORITHM, type TokenClaims, type VerificationKey } from '@tidings/contracts/identity/issued-tokens';
import { Database, type Queryable, statement, type Transaction } from '@tidings/persistence/database';
import { createSigner } from 'fast-jwt';
import { seal, unseal } from '@tidings/persistence/secret-box';

/** The keys of `TIDINGS_SECRET_KEY`, the encrypting one first; empty without the variable. */
export const SECRET_KEYS = Symbol('SecretKeys');

interface SigningKeyRow {
  id: string;
  private_key: Buffer;
  sealed: boolean;
}

const CURRENT = statement('signing-keys-current', 'select id, private_key, sealed from signing_keys where retired_at is null');
/** A retired key verifies as long as a token that it signed may live. */
const VALID = statement(
  'signing-keys-valid',
  `select id as key_id, public_key from signing_keys
    where retired_at is null or retired_at > now() - interval '367 days'
    order by retired_at desc nulls first limit $1`,
);
const INSERT = statement(
  'signing-keys-insert',
  `insert into signing_keys (id, public_key, private_key, sealed) values ($1, $2, $3, $4)
   on conflict ((retired_at is null)) where retired_at is null do nothing`,
);
const LOCK = statement('signing-keys-lock', 'lock table signing_keys in share row exclusive mode');
const RETIRE = statement(
  'signing-keys-retire',
  'update signing_keys set retired_at = now(), private_key = null where retired_at is null returning id',
);
const REMOVE_ALL = statement('signing-keys-remove-all', 'delete from signing_keys returning id');
/** All tokens that these keys signed have expired. */
const REMOVE_OLD = statement('signing-keys-remove-old', `delete from signing_keys where retired_at <= now() - interval '367 days'`);

/**
 * The signing keys of issued tokens, shared by all replicas. The first replica that signs creates the key. It is stored in the
 * schema, encrypted when there is a secret key.
 */
@Injectable()
export class SigningKeys {
  private readonly logger = new Logger('SigningKeys');

  constructor(
    private readonly db: Database,
    @Inject(SECRET_KEYS) private readonly secretKeys: readonly Buffer[],
  ) {}

  /**
   * The claims as a JWT, signed with the current key. Its header names the key (`kid`).
   * @throws ServiceError `unavailable` when that key is encrypted with a secret key that is not configured.
   */
  async sign(claims: TokenClaims): Promise<string> {
    let [row] = await this.db.query<SigningKeyRow>(CURRENT);
    if (!row) {
      await this.insert(this.db);
      [row] = await this.db.query<SigningKeyRow>(CURRENT);
    }
    const { id } = row!; // a rotation retires the current key and inserts the next in one transaction
    return createSigner({ key: this.open(row!), algorithm: TOKEN_ALGORITHM, kid: id })(claims);
  }

  valid(): Promise<VerificationKey[]> {
    return this.db.query<VerificationKey>(VALID, [SIGNING_KEYS_MAX]);
  }

  /** Makes another key the current one. @returns its id, and the ids of keys that no longer verify. */
  async rotate(tx: Transaction, { revokeIssued }: { revokeIssued: boolean }): Promise<{ id: string; removedIds: string[] }> {
    await tx.execute(LOCK);
    if (!revokeIssued) await tx.query(RETIRE);
    const removed = revokeIssued ? await tx.query<{ id: string }>(REMOVE_ALL) : [];
    await tx.execute(REMOVE_OLD);
    const id = await this.insert(tx);
    return { id, removedIds: removed.map((key) => key.id) };
  }

  private async insert(db: Queryable): Promise<string> {
    const id = randomUUID();
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const secret = Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const [secretKey] = this.secretKeys;
    await db.execute(INSERT, [
      id,
      publicKey.export({ format: 'jwk' }).x,
      secretKey ? seal(secret, nameOf(id), secretKey) : secret,
      secretKey !== undefined,
    ]);
    return id;
  }

  /** The private key as PEM. */
  private open({ id, private_key, sealed }: SigningKeyRow): string {
    const secret = sealed ? unseal(private_key, nameOf(id), this.secretKeys) : private_key;
    if (!secret) {
      this.logger.error(
        `Signing key ${id} is encrypted with a key that is not in TIDINGS_SECRET_KEY: add that key, or rotate the signing keys`,
      );
      throw unavailable('Tokens cannot be issued right now: the signing key cannot be read');
    }
    return secret.toString();
  }
}

const nameOf = (id: string): string => `signing-key ${id}`;
