import { Injectable } from '@nestjs/common';
import { KeyRing, seal } from '@tidings/persistence/secret-box';
import { type ConfigurationRow, secretsNameOf } from './configuration.rows';

/** Settings nobody may read. */
export type Secrets = Readonly<Record<string, unknown>>;

type RowName = Pick<ConfigurationRow, 'workspace_id' | 'configuration_id'>;

/** Secrets as they are stored. */
type SealedSecrets = Pick<ConfigurationRow, 'secrets' | 'key_id'>;

/** Seals the secrets of configurations with the first key, and opens what any of them sealed. Without keys they are stored as they are. */
@Injectable()
export class ProviderSecrets {
  private readonly ring: KeyRing;

  constructor(keys: readonly Buffer[]) {
    this.ring = new KeyRing(keys);
  }

  /** Id of the key that seals; `null` where there is none. */
  get keyId(): string | null {
    return this.ring.first?.id ?? null;
  }

  seal(row: RowName, secrets: Secrets): SealedSecrets {
    const text = Buffer.from(JSON.stringify(secrets));
    const { first } = this.ring;
    return first ? { secrets: seal(text, secretsNameOf(row), first.key), key_id: first.id } : { secrets: text, key_id: null };
  }

  /** The secrets, or undefined where the key that sealed them is not given (or they were tampered with). */
  open(row: RowName & SealedSecrets): Secrets | undefined {
    const text = row.key_id === null ? row.secrets : this.ring.open(row.secrets, secretsNameOf(row), row.key_id);
    return text && (JSON.parse(text.toString()) as Secrets);
  }
}
