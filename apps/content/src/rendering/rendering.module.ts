import { Module } from '@nestjs/common';
import { RenderChecks } from './render-checks';

/** Checks that content can be rendered, for the modules that store it. */
@Module({ providers: [RenderChecks], exports: [RenderChecks] })
export class RenderingModule {}
