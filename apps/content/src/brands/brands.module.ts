import { Module } from '@nestjs/common';
import { RenderingModule } from '../rendering/rendering.module';
import { BrandsHandlers } from './brands.handlers';
import { SendingBrandsHandlers } from './sending-brands.handlers';

/** Brands, for their authors, for sends and for previews, which call the handlers of sends. */
@Module({
  imports: [RenderingModule],
  controllers: [BrandsHandlers, SendingBrandsHandlers],
  providers: [SendingBrandsHandlers],
  exports: [SendingBrandsHandlers],
})
export class BrandsModule {}
