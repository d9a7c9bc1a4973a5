import { Module } from '@nestjs/common';
import { BrandsModule } from '../brands/brands.module';
import { TranslationsModule } from '../translations/translations.module';
import { PreviewLimiter } from './preview-limiter';
import { PreviewedContents } from './previewed-content';
import { PreviewsHandlers } from './previews.handlers';

/** Previews of content. */
@Module({ imports: [BrandsModule, TranslationsModule], controllers: [PreviewsHandlers], providers: [PreviewedContents, PreviewLimiter] })
export class PreviewsModule {}
