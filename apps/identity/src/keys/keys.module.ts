import { Module } from '@nestjs/common';
import { IssuedTokensHandlers } from './issued-tokens.handlers';
import { KeysHandlers } from './keys.handlers';
import { SigningKeys } from './signing-keys';

/** API keys, and tokens signed for clients. */
@Module({ controllers: [KeysHandlers, IssuedTokensHandlers], providers: [SigningKeys], exports: [SigningKeys] })
export class KeysModule {}
