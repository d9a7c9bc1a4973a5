import { Injectable } from '@nestjs/common';
import { SealedSecrets } from '../sealed-secrets';
import { secretsNameOf } from './configuration.entity';

/** Secret settings by name. */
export type Secrets = Readonly<Record<string, unknown>>;

/** The secrets of configurations. */
@Injectable()
export class ProviderSecrets extends SealedSecrets<Secrets> {
  constructor(keys: readonly Buffer[]) {
    super(keys, secretsNameOf);
  }
}
