import { Injectable } from '@nestjs/common';
import { keyIdOf, seal, unseal } from '@tidings/persistence/secret-box';
import { type ConfigurationRow, secretsNameOf } from './configuration.rows';

/** Settings nobody may read. */
export type Secrets = Readonly<Record<string, unknown>>;

type RowName = Pick<ConfigurationRow, 'workspace_id' | 'configuration_id'>;

/** Secrets as they are stored. */
type SealedSecrets = Pick<ConfigurationRow, 'secrets' | 'key_id'>;

/** Seals the secrets of configurations with the first key, and opens what any of them sealed. Without keys they are stored as they are. */
@Injectable()
export class ProviderSecrets {
  private readonly byId: ReadonlyMap<string, Buffer>;

  constructor(private readonly keys: readonly Buffer[]) {
    this.byId = new Map(keys.map((key) => [keyIdOf(key), key]));
  }

  /** Id of the key that seals; `null` where there is none. */
  get keyId(): string | null {
    return this.keys[0] ? keyIdOf(this.keys[0]) : null;
  }

  seal(row: RowName, secrets: Secrets): SealedSecrets {
    const text = Buffer.from(JSON.stringify(secrets));
    const [key] = this.keys;
    return key ? { secrets: seal(text, secretsNameOf(row), key), key_id: keyIdOf(key) } : { secrets: text, key_id: null };
  }

  /** The secrets, or undefined where the key that sealed them is not given (or they were tampered with). */
  open(row: RowName & SealedSecrets): Secrets | undefined {
    const key = row.key_id === null ? undefined : this.byId.get(row.key_id);
    const text = row.key_id === null ? row.secrets : key && unseal(row.secrets, secretsNameOf(row), [key]);
    return text && (JSON.parse(text.toString()) as Secrets);
  }
}
