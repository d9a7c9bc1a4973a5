import { DatedRow, Nullable, TextKey } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';
import type { Audience, AudienceFilter, AudienceLogic } from '@tidings/contracts/audience/audiences';
import type { Filter } from './filter/filter';

/** An audience. `filter` and `operator` are as the client sent them; `rule` is the parsed filter, `null` matches no user. */
@Entity('audiences')
export class AudienceEntity extends DatedRow {
  @TextKey({ name: 'audience_id' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  description!: string;

  @Nullable('json')
  filter!: AudienceFilter | null;

  @Nullable('text')
  operator!: AudienceLogic | null;

  /** As large as `filter`; loaded only where a filter changes. */
  @Column('json', { nullable: true, select: false })
  rule!: Filter | null;

  @Column('integer')
  version!: number;

  @Nullable('integer')
  servedVersion!: number | null;

  @Nullable('bigint')
  servedMembership!: string | null;

  @Column('json', { nullable: true, select: false })
  servedRule!: Filter | null;
}

export function toAudience({ id, name, description, createdAt, updatedAt, filter, operator }: AudienceEntity): Audience {
  return {
    id,
    name,
    description,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    filter,
    operator: operator ?? undefined,
  };
}
