import { TRANSLATION_DOMAIN, type TranslationSummary } from '@tidings/contracts/content/translations';
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

/** The columns of a listing, without the text. */
export const SUMMARY_PROPERTIES = [
  'workspaceId',
  'locale',
  'bytes',
  'createdAt',
  'updatedAt',
] as const satisfies (keyof TranslationEntity)[];

/** The translations as listed to clients. */
export function toTranslationSummary({
  locale,
  bytes,
  createdAt,
  updatedAt,
}: Pick<TranslationEntity, (typeof SUMMARY_PROPERTIES)[number]>): TranslationSummary {
  return { domain: TRANSLATION_DOMAIN, locale, bytes, created: createdAt.toISOString(), updated: updatedAt.toISOString() };
}
