import { Module } from '@nestjs/common';
import { BrandsModule } from '../brands/brands.module';
import { TranslationsModule } from '../translations/translations.module';
import { PreviewLimiter } from './preview-limiter';
import { PreviewedContents } from './previewed-content';
import { PreviewsHandlers } from './previews.handlers';
import { RecipientPagesHandlers } from './recipient-pages.handlers';

/** Previews of content, and what pages of recipients show. */
@Module({
  imports: [BrandsModule, TranslationsModule],
  controllers: [PreviewsHandlers, RecipientPagesHandlers],
  providers: [PreviewedContents, PreviewLimiter],
})
export class PreviewsModule {}
