import { type DynamicModule, Module } from '@nestjs/common';
import { IssuedTokensHandlers } from './issued-tokens.handlers';
import { KeysHandlers } from './keys.handlers';
import { SECRET_KEYS, SigningKeys } from './signing-keys';

/** API keys, and tokens signed for clients. */
@Module({ controllers: [KeysHandlers, IssuedTokensHandlers], providers: [SigningKeys] })
export class KeysModule {
  /** @param secretKeys keys of stored signing keys: the first encrypts, all decrypt. */
  static with(secretKeys: readonly Buffer[]): DynamicModule {
    return { module: KeysModule, providers: [{ provide: SECRET_KEYS, useValue: secretKeys }] };
  }
}
