import { Injectable } from '@nestjs/common';
import { KeyRing, seal } from '@tidings/persistence/secret-box';
import { type ConfigurationRow, secretsNameOf } from './configuration.rows';

/** Secret settings by name. */
export type Secrets = Readonly<Record<string, unknown>>;

type RowName = Pick<ConfigurationRow, 'workspace_id' | 'configuration_id'>;

/** Secrets in the form of the row. */
type SealedSecrets = Pick<ConfigurationRow, 'secrets' | 'key_id'>;

/** Seals the secrets of configurations with the first key and opens them with any key. Without keys they are stored in the clear. */
@Injectable()
export class ProviderSecrets {
  private readonly ring: KeyRing;

  constructor(keys: readonly Buffer[]) {
    this.ring = new KeyRing(keys);
  }

  /** Id of the sealing key; `null` without keys. */
  get keyId(): string | null {
    return this.ring.first?.id ?? null;
  }

  seal(row: RowName, secrets: Secrets): SealedSecrets {
    const text = Buffer.from(JSON.stringify(secrets));
    const { first } = this.ring;
    return first ? { secrets: seal(text, secretsNameOf(row), first.key), key_id: first.id } : { secrets: text, key_id: null };
  }

  /** The secrets; undefined where the key that sealed them is missing, or they were tampered with. */
  open(row: RowName & SealedSecrets): Secrets | undefined {
    const text = row.key_id === null ? row.secrets : this.ring.open(row.secrets, secretsNameOf(row), row.key_id);
    return text && (JSON.parse(text.toString()) as Secrets);
  }
}
