import { Module } from '@nestjs/common';
import { ListMembersHandlers } from './list-members.handlers';

/** Members of lists, for sends. */
@Module({ controllers: [ListMembersHandlers] })
export class ListMembersModule {}
