import { DatedRow, TextKey } from '@tidings/persistence/rows';
import { Column, Entity } from 'typeorm';

@Entity('profiles')
export class ProfileEntity extends DatedRow {
  @TextKey()
  userId: string;

  @Column('jsonb')
  profile: object;
}
