import { DatedRow } from '@tidings/persistence/rows';
import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('profiles')
export class ProfileEntity extends DatedRow {
  @PrimaryColumn('text', { collation: 'C' })
  userId!: string;

  @Column('jsonb')
  profile!: object;
}
