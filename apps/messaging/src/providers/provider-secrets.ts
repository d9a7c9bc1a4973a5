import { Injectable } from '@nestjs/common';
import { KeyRing, seal } from '@tidings/runtime/secret-box';
import { ConfigurationEntity, type ConfigurationKey, secretsNameOf } from './configuration.entity';

/** Secret settings by name. */
export type Secrets = Readonly<Record<string, unknown>>;

/** Secrets in the form of the row. */
type SealedSecrets = Pick<ConfigurationEntity, 'secrets' | 'keyId'>;

/** Seals the secrets of configurations with the first key and opens them with any key. Without keys they are stored in the clear. */
@Injectable()
export class ProviderSecrets {
  private readonly ring = new KeyRing(this.keys);

  constructor(private readonly keys: readonly Buffer[]) {}

  /** Id of the sealing key; `null` without keys. */
  get keyId(): string | null {
    return this.ring.first?.id ?? null;
  }

  seal(row: ConfigurationKey, secrets: Secrets): SealedSecrets {
    const text = Buffer.from(JSON.stringify(secrets));
    const { first } = this.ring;
    return first ? { secrets: seal(text, secretsNameOf(row), first.key), keyId: first.id } : { secrets: text, keyId: null };
  }

  /** The secrets; undefined where the key that sealed them is missing, or they were tampered with. */
  open(row: ConfigurationKey & SealedSecrets): Secrets | undefined {
    const text = row.keyId === null ? row.secrets : this.ring.open(row.secrets, secretsNameOf(row), row.keyId);
    return text && (JSON.parse(text.toString()) as Secrets);
  }
}
