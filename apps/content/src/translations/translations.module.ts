import { Module } from '@nestjs/common';
import { RenderingModule } from '../rendering/rendering.module';
import { SendingTranslationsHandlers } from './sending-translations.handlers';
import { TranslationsHandlers } from './translations.handlers';

/** Translations, for their authors, for sends and for previews, which call the handlers of sends. */
@Module({
  imports: [RenderingModule],
  controllers: [TranslationsHandlers, SendingTranslationsHandlers],
  providers: [SendingTranslationsHandlers],
  exports: [SendingTranslationsHandlers],
})
export class TranslationsModule {}
