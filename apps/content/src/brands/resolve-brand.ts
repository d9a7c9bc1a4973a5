import type { BrandEmail, BrandSettings, BrandSnippets } from '@tidings/contracts/content/brand-settings';

/** The parts of a brand that can inherit. */
interface BrandParts {
  settings: BrandSettings;
  snippets: BrandSnippets | null;
}

/** The parts of an e-mail that a brand may inherit from the default brand. */
const INHERITABLE = ['header', 'head', 'footer'] as const;

/**
 * The brand merged with the default brand. E-mail parts and the footer's social links with `inheritDefault` are those of the
 * default brand, or absent where it has none. Snippets of both are merged: the brand's own override the default's, and of two
 * of one name the last counts.
 */
export function resolveBrand(own: BrandParts, base: BrandParts | undefined) {
  const snippets = [...(base?.snippets?.items ?? []), ...(own.snippets?.items ?? [])];
  return {
    settings: resolveSettings(own.settings, base?.settings.email ?? {}),
    snippets: [...new Map(snippets.map((snippet) => [snippet.name, snippet])).values()],
  };
}

function resolveSettings(settings: BrandSettings, base: BrandEmail) {
  const { email } = settings;
  if (!email) return settings;
  const resolved: BrandEmail = { ...email };
  for (const part of INHERITABLE) if (email[part]?.inheritDefault) Object.assign(resolved, { [part]: base[part] ?? undefined });
  if (resolved.footer?.social?.inheritDefault) {
    const { social: _own, ...footer } = resolved.footer;
    resolved.footer = base.footer?.social ? { ...footer, social: base.footer.social } : footer;
  }
  return { ...settings, email: resolved };
}
