import { Module } from '@nestjs/common';
import { BrandsHandlers } from './brands.handlers';
import { SendingBrandsHandlers } from './sending-brands.handlers';

/** Brands, for their authors, for sends and for previews. */
@Module({ controllers: [BrandsHandlers, SendingBrandsHandlers], providers: [SendingBrandsHandlers], exports: [SendingBrandsHandlers] })
export class BrandsModule {}
