import { DEFAULT_LOCALE, localeChain } from '@tidings/contracts/content/locale';
import {
  type LoadedCatalogue,
  type LoadedChain,
  LOADED_CHAINS_BYTES_MAX,
  type LoadTranslations,
  sendingTranslations,
} from '@tidings/contracts/content/sending';
import type { CallContext } from '@tidings/contracts/core/context';
import { columnsOf } from '@tidings/persistence/columns-of';
import { Database, statement } from '@tidings/persistence/database';
import { Handles } from '@tidings/rpc/handles';

// SQL because sends read a batch, with one primary key lookup for each locale of each chain.
/** A chain is returned whole or not at all. A locale without translations yields a row without text, so that every chain has one. */
const LOAD = statement(
  'translations-load',
  `select chain, locale, version, po from (
     select input.chain, input.ordinal, found.locale, found.revision as version, found.po,
            sum(coalesce(found.bytes, 0)) over (order by input.chain) as bytes_so_far
       from unnest($1::uuid[], $2::text[], $3::int[]) with ordinality as input (workspace_id, locale, chain, ordinal)
       left join lateral (
         select locale, revision, po, bytes
           from translations stored where stored.workspace_id = input.workspace_id and stored.locale = input.locale limit 1
       ) as found on true
   ) as measured
   where bytes_so_far <= $4 or chain = 0
   order by ordinal`,
);

@Handles(sendingTranslations)
export class SendingTranslationsHandlers {
  constructor(private readonly database: Database) {}

  async load(_context: CallContext, { translations: requests }: LoadTranslations) {
    if (requests.length === 0) return { translations: [] };
    const lookups = requests.flatMap(({ workspace_id, locale }, chain) =>
      localeChain(locale, DEFAULT_LOCALE).map((one) => ({ workspace_id, locale: one, chain })),
    );
    const rows = await this.database.query<{ chain: number } & (LoadedCatalogue | { locale: null })>(LOAD, [
      ...columnsOf(lookups, 'workspace_id', 'locale', 'chain'),
      LOADED_CHAINS_BYTES_MAX,
    ]);
    const translations: LoadedChain[] = [];
    for (const { chain, ...row } of rows) {
      const { catalogues } = (translations[chain] ??= { catalogues: [] });
      if (row.locale !== null) catalogues.push(row);
    }
    return { translations };
  }
}
