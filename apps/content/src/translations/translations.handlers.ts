import { contentChanged } from '@tidings/contracts/content/events';
import { assertLocale, canonicalLocale } from '@tidings/contracts/content/locale';
import {
  type NamedTranslation,
  type PutTranslation,
  type Translation,
  TRANSLATION_BYTES_MAX,
  TRANSLATION_DOMAIN,
  translations,
} from '@tidings/contracts/content/translations';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { CallJournal } from '@tidings/persistence/call-journal';
import { Database, statement } from '@tidings/persistence/database';
import { Outbox } from '@tidings/persistence/outbox';
import { Handles } from '@tidings/rpc/handles';
import { RenderChecks } from '../rendering/render-checks';

const RETRIEVE = statement('translations-retrieve', 'select po as translation from translations where workspace_id = $1 and locale = $2');
const PUT = statement(
  'translations-put',
  `insert into translations (workspace_id, locale, po, bytes) values ($1, $2, $3, $4)
   on conflict (workspace_id, locale) do update set
     po = excluded.po, bytes = excluded.bytes, revision = excluded.revision, updated_at = now()`,
);

@Handles(translations)
export class TranslationsHandlers {
  constructor(
    private readonly db: Database,
    private readonly calls: CallJournal,
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
  ) {}

  async retrieve({ workspaceId }: CallContext, { domain, locale, ...rest }: NamedTranslation): Promise<Translation> {
    rest satisfies Record<string, never>;
    assertDomain(domain);
    assertLocale(locale, 'locale');
    const [row] = await this.db.query<Translation>(RETRIEVE, [workspaceId, canonicalLocale(locale)]);
    if (!row) throw new ServiceError('not_found', `There are no translations into ${locale}`);
    return row;
  }

  async replace(context: CallContext, { domain, locale, translation, ...rest }: PutTranslation): Promise<Translation> {
    rest satisfies Record<string, never>;
    assertDomain(domain);
    assertLocale(locale, 'locale');
    const bytes = sizeOf(translation);
    const { workspaceId } = context;
    await this.checks.assertPo(context, translation);
    const stored = canonicalLocale(locale);
    await this.calls.once(context, async (tx) => {
      await tx.execute(PUT, [workspaceId, stored, translation, bytes]);
      await this.outbox.add(tx, contentChanged, { payload: { workspaceId, kind: 'translation', id: stored } });
    });
    return { translation };
  }
}

function assertDomain(domain: string): void {
  if (domain === TRANSLATION_DOMAIN) return;
  throw new ServiceError('not_found', `Domain ${domain} does not exist; translations are of the domain ${TRANSLATION_DOMAIN}`);
}

/** The bytes of the text as a JSON string. @throws ServiceError `invalid_request` above the limit. */
function sizeOf(translation: string): number {
  const bytes = Buffer.byteLength(JSON.stringify(translation));
  if (bytes <= TRANSLATION_BYTES_MAX) return bytes;
  throw new ServiceError(
    'invalid_request',
    `The translation would take ${bytes} bytes as a JSON string, at most ${TRANSLATION_BYTES_MAX} are stored`,
  );
}
