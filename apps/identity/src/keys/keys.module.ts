import { Module } from '@nestjs/common';
import { IssuedTokensHandlers } from './issued-tokens.handlers';
import { KeyUses } from './key-uses';
import { KeysHandlers } from './keys.handlers';
import { SigningKeys } from './signing-keys';

/** API keys, and tokens signed for clients. */
@Module({ controllers: [KeysHandlers, IssuedTokensHandlers], providers: [KeyUses, SigningKeys], exports: [KeyUses, SigningKeys] })
export class KeysModule {}
