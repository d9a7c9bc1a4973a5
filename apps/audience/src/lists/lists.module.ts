import { Module } from '@nestjs/common';
import { ListsHandlers } from './lists.handlers';
import { SetSweeper } from './set-sweeper';

/** Lists, and the removal of what they dropped. */
@Module({ controllers: [ListsHandlers], providers: [SetSweeper] })
export class ListsModule {}
