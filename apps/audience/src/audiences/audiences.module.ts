import { Module } from '@nestjs/common';
import { AudienceCountsHandlers } from './audience-counts.handlers';
import { AudienceMembersHandlers } from './audience-members.handlers';
import { AudiencesHandlers } from './audiences.handlers';
import { PeopleProjection } from './people-projection';
import { RebuildWorker } from './rebuild/rebuild-worker';

/** Audiences and their members, computed from the profiles. */
@Module({ controllers: [AudiencesHandlers, AudienceCountsHandlers, AudienceMembersHandlers], providers: [PeopleProjection, RebuildWorker] })
export class AudiencesModule {}
