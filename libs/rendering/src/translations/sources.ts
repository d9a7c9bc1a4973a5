import { CompileCache, timeCompile } from '../compile-cache';
import { compileCatalogue, type Translator } from './catalogue';
import type { RenderBudget } from '../render-budget';

/** Characters of a catalogue that cost as much as one character of Markdown. */
const PER_CHAR = 10;

const catalogues = new CompileCache<Translator>(100, 20_000_000);

/**
 * A translator of catalogue texts: they are queried in order, the first translation is used. Undefined without any. Each is
 * compiled on its first query, charged to `budget`.
 */
export function catalogueOfSources(sources: readonly string[], budget?: RenderBudget): Translator | undefined {
  if (sources.length === 0) return undefined;
  const compiled: Translator[] = [];
  return (msgid, options) => {
    for (const [index, source] of sources.entries()) {
      const translation = (compiled[index] ??= catalogueOf(source, budget))(msgid, options);
      if (translation !== undefined) return translation;
    }
    return undefined;
  };
}

function catalogueOf(source: string, budget: RenderBudget | undefined) {
  return catalogues.getOrMake(source, () => {
    budget?.spendCompilation(source.length / PER_CHAR);
    return timeCompile(() => compileCatalogue(source));
  });
}
