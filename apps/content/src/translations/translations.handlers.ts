import { InjectRepository } from '@nestjs/typeorm';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { type EntityManager, Repository } from 'typeorm';
import { assertLocale, canonicalLocale } from '@tidings/contracts/content/locale';
import {
  type ListTranslations,
  type NamedTranslation,
  type PutTranslation,
  TRANSLATION_BYTES_MAX,
  TRANSLATION_DOMAIN,
  translations,
} from '@tidings/contracts/content/translations';
import type { CallContext } from '@tidings/contracts/core/context';
import { keysetPage } from '@tidings/persistence/keyset-page';
import { Outbox } from '@tidings/persistence/outbox';
import { toResultsPage } from '@tidings/persistence/page';
import { Handles } from '@tidings/rpc/handles';
import { publishChange } from '../publish-change';
import { RenderChecks } from '../rendering/render-checks';
import { SUMMARY_PROPERTIES, toTranslationSummary, TranslationEntity } from './translation.entity';

@Handles(translations)
export class TranslationsHandlers {
  constructor(
    @InjectRepository(TranslationEntity) private readonly rows: Repository<TranslationEntity>,
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
  ) {}

  async retrieve({ workspaceId }: CallContext, { domain, locale }: NamedTranslation) {
    assertNamed({ domain, locale });
    const row = await this.rows.findOneBy({ workspaceId, locale: canonicalLocale(locale) });
    if (!row) throw notFound(`There are no translations into ${locale}`);
    return { translation: row.po };
  }

  /** The bytes of the text as a JSON string. The text is checked: a long one on a thread. */
  async prepareReplace(context: CallContext, { domain, locale, translation }: PutTranslation) {
    assertNamed({ domain, locale });
    const bytes = Buffer.byteLength(JSON.stringify(translation));
    if (bytes > TRANSLATION_BYTES_MAX) {
      throw invalid(`The translation would take ${bytes} bytes as a JSON string, at most ${TRANSLATION_BYTES_MAX} are stored`);
    }
    await this.checks.assertPo(context, translation);
    return bytes;
  }

  async replace({ workspaceId }: CallContext, request: PutTranslation, tx: EntityManager, bytes: number) {
    const { domain: _, locale: given, translation, ...rest } = request;
    rest satisfies Record<string, never>;
    const locale = canonicalLocale(given);
    // The default of `revision` draws a new one for a text that is replaced too.
    const row = { workspaceId, locale, po: translation, bytes, revision: () => 'default', updatedAt: () => 'now()' };
    await tx.upsert(TranslationEntity, row, ['workspaceId', 'locale']);
    await publishChange(this.outbox, tx, { workspaceId, kind: 'translation', id: locale });
    return { translation };
  }

  async list({ workspaceId }: CallContext, { locale: given, cursor, starting_after, limit }: ListTranslations) {
    if (given !== undefined) assertLocale(given, 'locale');
    const locale = given && canonicalLocale(given);
    const query = this.rows
      .createQueryBuilder('translation')
      .select(SUMMARY_PROPERTIES.map((property) => `translation.${property}`))
      .where('translation.workspaceId = :workspaceId', { workspaceId });
    if (locale !== undefined) query.andWhere('translation.locale = :locale', { locale });
    return toResultsPage(
      await keysetPage(query, {
        tag: `translations ${workspaceId} ${locale ?? ''}`,
        limit,
        cursor: cursor ?? starting_after,
        orderedBy: ['locale'],
        toItem: toTranslationSummary,
      }),
    );
  }
}

function assertNamed({ domain, locale }: NamedTranslation) {
  if (domain !== TRANSLATION_DOMAIN) {
    throw notFound(`Domain ${domain} does not exist; translations are of the domain ${TRANSLATION_DOMAIN}`);
  }
  assertLocale(locale, 'locale');
}
