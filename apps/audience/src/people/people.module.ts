import { Module } from '@nestjs/common';
import { PeoplePurger } from './people-purger';

/** Removal of people without profile. */
@Module({ providers: [PeoplePurger] })
export class PeopleModule {}
