import { Column, Entity } from 'typeorm';
import { ChangedRow, TextKey } from '../rows';

/** The translations into a language. */
@Entity('translations')
export class TranslationEntity extends ChangedRow {
  @TextKey()
  locale: string;

  @Column('text')
  po: string;

  /** What `po` takes as a JSON string. */
  @Column('integer')
  bytes: number;

  /** Never used twice, so that caches distinguish the texts of one locale. */
  @Column('bigint', { default: () => "nextval('content_revisions')" })
  revision: string;
}
