import { type DynamicModule, Module } from '@nestjs/common';
import { DEFAULT_RATE, type DefaultRate } from '../default-rate';
import { IssuedTokensHandlers } from './issued-tokens.handlers';
import { KeysHandlers } from './keys.handlers';
import { SECRET_KEYS, SigningKeys } from './signing-keys';

/** API keys, and tokens signed for clients. */
@Module({ controllers: [KeysHandlers, IssuedTokensHandlers], providers: [SigningKeys] })
export class KeysModule {
  /** @param secretKeys keys of stored signing keys: the first encrypts, all decrypt. */
  static with(secretKeys: readonly Buffer[], defaultRate: DefaultRate): DynamicModule {
    const providers = [
      { provide: SECRET_KEYS, useValue: secretKeys },
      { provide: DEFAULT_RATE, useValue: defaultRate },
    ];
    return { module: KeysModule, providers };
  }
}
