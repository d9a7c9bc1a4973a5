import { KeyRing, seal } from '@tidings/runtime/secret-box';

/** What identifies a row with secrets; the sealing binds them to it, so that they do not open in another row. */
export interface SecretsKey {
  workspaceId: string;
  id: string;
}

/** Secrets in the form of a row. */
export interface SealedColumns {
  /** JSON, sealed with the key that `keyId` names; in the clear where that is `null`. */
  secrets: Buffer;
  keyId: string | null;
}

/** Seals the secrets of rows with the first key and opens them with any key. Without keys they are stored in the clear. */
export class SealedSecrets<Value> {
  private readonly ring = new KeyRing(this.keys);

  /** @param nameOf the name under which the secrets of a row are sealed: they open only with it. */
  constructor(
    private readonly keys: readonly Buffer[],
    private readonly nameOf: (row: SecretsKey) => string,
  ) {}

  /** Id of the sealing key; `null` without keys. */
  get keyId(): string | null {
    return this.ring.first?.id ?? null;
  }

  seal(row: SecretsKey, secrets: Value): SealedColumns {
    const text = Buffer.from(JSON.stringify(secrets));
    const { first } = this.ring;
    return first ? { secrets: seal(text, this.nameOf(row), first.key), keyId: first.id } : { secrets: text, keyId: null };
  }

  /** The secrets; undefined where the key that sealed them is missing, or they were tampered with. */
  open(row: SecretsKey & SealedColumns): Value | undefined {
    const text = row.keyId === null ? row.secrets : this.ring.open(row.secrets, this.nameOf(row), row.keyId);
    return text && (JSON.parse(text.toString()) as Value);
  }
}
