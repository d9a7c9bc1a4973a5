import { Module } from '@nestjs/common';
import { UserTokensHandlers } from './user-tokens.handlers';

/** Push tokens of users. */
@Module({ controllers: [UserTokensHandlers] })
export class TokensModule {}
