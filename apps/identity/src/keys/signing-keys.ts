import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { unavailable } from '@tidings/contracts/core/errors';
import { SIGNING_KEYS_MAX, TOKEN_ALGORITHM, type TokenClaims } from '@tidings/contracts/identity/issued-tokens';
import { Database, type Queryable, statement, transactionOf } from '@tidings/persistence/database';
import { createSigner } from 'fast-jwt';
import { type EntityManager, Equal, IsNull, Raw, Repository } from 'typeorm';
import type { ResealedRows } from '@tidings/runtime/reseal';
import { keyIdOf, seal, unseal } from '@tidings/runtime/secret-box';
import { SigningKeyEntity } from './signing-key.entity';

/** The keys of `TIDINGS_SECRET_KEY`, the encrypting one first; empty without the variable. */
export const SECRET_KEYS = Symbol('SecretKeys');

/** A retired key verifies as long as a token that it signed may live. */
const TOKEN_LIFE_SQL = "interval '367 days'";

// SQL because the conflict is named by its partial index; other conflicts must not pass unseen.
const INSERT = statement(
  'signing-keys-insert',
  `insert into signing_keys (id, public_key, private_key, sealed, key_id) values ($1, $2, $3, $4, $5)
   on conflict ((retired_at is null)) where retired_at is null do nothing`,
);
// SQL because TypeORM locks no tables.
const LOCK = statement('signing-keys-lock', 'lock table signing_keys in share row exclusive mode');

/**
 * The signing keys of issued tokens, shared by all replicas. The first replica that signs creates the key. It is stored in the
 * schema, encrypted when there is a secret key.
 */
@Injectable()
export class SigningKeys {
  private readonly logger = new Logger('SigningKeys');

  constructor(
    private readonly database: Database,
    @InjectRepository(SigningKeyEntity) private readonly rows: Repository<SigningKeyEntity>,
    @Inject(SECRET_KEYS) private readonly secretKeys: readonly Buffer[],
  ) {}

  /**
   * The claims as a JWT, signed with the current key. Its header names the key (`kid`).
   * @throws ServiceError `unavailable` when that key is encrypted with a secret key that is not configured.
   */
  async sign(claims: TokenClaims) {
    let row = await this.current();
    if (!row) {
      await this.insert(this.database);
      row = await this.current();
    }
    const { id } = row!; // a rotation retires the current key and inserts the next in one transaction
    return createSigner({ key: this.open(row!), algorithm: TOKEN_ALGORITHM, kid: id })(claims);
  }

  async valid() {
    const rows = await this.rows.find({
      select: { id: true, publicKey: true },
      where: [{ retiredAt: IsNull() }, { retiredAt: Raw((column) => `${column} > now() - ${TOKEN_LIFE_SQL}`) }],
      order: { retiredAt: { direction: 'DESC', nulls: 'FIRST' } },
      take: SIGNING_KEYS_MAX,
    });
    return rows.map(({ id, publicKey }) => ({ key_id: id, public_key: publicKey }));
  }

  /** Makes another key the current one. @returns its id, and the ids of keys that no longer verify. */
  async rotate(tx: EntityManager, revokeIssued: boolean) {
    await transactionOf(tx).execute(LOCK);
    const removed = revokeIssued ? await tx.find(SigningKeyEntity, { select: { id: true } }) : [];
    if (revokeIssued) await tx.deleteAll(SigningKeyEntity);
    else await tx.update(SigningKeyEntity, { retiredAt: IsNull() }, { retiredAt: () => 'now()', privateKey: null, keyId: null });
    await tx.delete(SigningKeyEntity, { retiredAt: Raw((column) => `${column} <= now() - ${TOKEN_LIFE_SQL}`) });
    const id = await this.insert(transactionOf(tx));
    return { id, removedIds: removed.map((key) => key.id) };
  }

  /** Seals the private key again with the first secret key, unless it is sealed with that. */
  async reseal(): Promise<ResealedRows> {
    const row = await this.current();
    const [secretKey] = this.secretKeys;
    if (!row?.privateKey || !secretKey) return { resealed: 0, unreadable: 0 };
    const { id, privateKey, sealed } = row;
    const keyId = keyIdOf(secretKey);
    if (sealed && unseal(privateKey, nameOf(id), [secretKey])) {
      if (row.keyId !== keyId) await this.rows.update({ id, privateKey: Equal(privateKey) }, { keyId }); // an earlier version sealed it
      return { resealed: 0, unreadable: 0 };
    }
    const secret = sealed ? unseal(privateKey, nameOf(id), this.secretKeys) : privateKey;
    if (!secret) return { resealed: 0, unreadable: 1 };
    const { affected } = await this.rows.update(
      { id, privateKey: Equal(privateKey) }, // unless it was retired meanwhile
      { privateKey: seal(secret, nameOf(id), secretKey), sealed: true, keyId },
    );
    return { resealed: affected ?? 0, unreadable: 0 };
  }

  private current() {
    return this.rows.findOneBy({ retiredAt: IsNull() });
  }

  private async insert(database: Queryable) {
    const id = randomUUID();
    const { publicKey, privateKey } = generateKeyPairSync('ed25519');
    const secret = Buffer.from(privateKey.export({ format: 'pem', type: 'pkcs8' }));
    const [secretKey] = this.secretKeys;
    await database.execute(INSERT, [
      id,
      publicKey.export({ format: 'jwk' }).x,
      secretKey ? seal(secret, nameOf(id), secretKey) : secret,
      secretKey !== undefined,
      secretKey ? keyIdOf(secretKey) : null,
    ]);
    return id;
  }

  /** The private key as PEM. */
  private open({ id, privateKey, sealed, keyId }: SigningKeyEntity) {
    const secret = sealed ? unseal(privateKey!, nameOf(id), this.secretKeys) : privateKey;
    if (!secret) {
      const key = keyId === null ? 'an unknown key' : `the key ${keyId}`;
      const cause =
        `signing key ${id} was sealed with ${key}, and no key of TIDINGS_SECRET_KEY opens it. ` +
        'Add the key that sealed it, or rotate the signing keys';
      this.logger.error(`Tokens cannot be issued: ${cause}`);
      throw unavailable(`Tokens cannot be issued right now: ${cause}`);
    }
    return secret.toString();
  }
}

const nameOf = (id: string) => `signing-key ${id}`;
