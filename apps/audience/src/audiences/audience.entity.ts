import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Audience, AudienceFilter, AudienceLogic } from '@tidings/contracts/audience/audiences';
import type { Filter } from './filter/filter';

/** An audience. `filter` and `operator` are as the client sent them; `rule` is the parsed filter, `null` matches no user. */
@Entity('audiences')
export class AudienceEntity {
  @PrimaryColumn('uuid', { name: 'workspace_id' })
  workspaceId!: string;

  @PrimaryColumn('text', { name: 'audience_id', collation: 'C' })
  id!: string;

  @Column('text')
  name!: string;

  @Column('text')
  description!: string;

  @Column('json', { nullable: true })
  filter!: AudienceFilter | null;

  @Column('text', { nullable: true })
  operator!: AudienceLogic | null;

  /** As large as `filter`; loaded only where a filter changes. */
  @Column('json', { nullable: true, select: false })
  rule!: Filter | null;

  @Column('integer')
  version!: number;

  @Column('integer', { name: 'served_version', nullable: true })
  servedVersion!: number | null;

  @Column('bigint', { name: 'served_membership', nullable: true })
  servedMembership!: string | null;

  @Column('json', { name: 'served_rule', nullable: true, select: false })
  servedRule!: Filter | null;

  @Column('timestamptz', { name: 'created_at', default: () => 'now()' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'updated_at', default: () => 'now()' })
  updatedAt!: Date;
}

export function toAudience({ id, name, description, createdAt, updatedAt, filter, operator }: AudienceEntity): Audience {
  return {
    id,
    name,
    description,
    created_at: createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    filter,
    ...(operator !== null && { operator }),
  };
}
