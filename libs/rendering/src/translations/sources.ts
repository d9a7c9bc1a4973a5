import { LruCache } from '../lru-cache';
import { type Catalogue, compileCatalogue } from './catalogue';
import { chainOf } from './catalogue-chain';
import type { Translator } from './translator';

const CATALOGUES_KEPT = 100;
const CATALOGUE_CHARS_KEPT = 20_000_000;

const catalogues = new LruCache<Catalogue>(CATALOGUES_KEPT, CATALOGUE_CHARS_KEPT);

/** One translator of catalogues given as texts, asked in their order; undefined of none. Each is read once. */
export function catalogueOfSources(sources: readonly string[]): Translator | undefined {
  return sources.length === 0 ? undefined : chainOf(sources.map((source) => catalogues.get(source, () => compileCatalogue(source))));
}
