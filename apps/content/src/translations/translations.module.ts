import { Module } from '@nestjs/common';
import { SendingTranslationsHandlers } from './sending-translations.handlers';
import { TranslationsHandlers } from './translations.handlers';

/** Translations, for their authors, for sends and for previews. */
@Module({
  controllers: [TranslationsHandlers, SendingTranslationsHandlers],
  providers: [SendingTranslationsHandlers],
  exports: [SendingTranslationsHandlers],
})
export class TranslationsModule {}
