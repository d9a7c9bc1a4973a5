import type { BrandEmail, BrandFooter } from '@tidings/contracts/content/brand-email';
import type { BrandSettings, BrandSnippet, BrandSnippets } from '@tidings/contracts/content/brand-settings';

/** What a brand says itself. */
interface BrandParts {
  settings: BrandSettings;
  snippets: BrandSnippets | null;
}

/** The parts of an e-mail that a brand may take from the default brand. */
const INHERITABLE = ['header', 'head', 'footer'] as const;

/**
 * The brand with what it takes from the default brand: the parts of the e-mail, and the footer's social links, whose
 * `inheritDefault` says so, as the default brand has them, or none; and its snippets, but those whose names the brand
 * uses itself. Of two snippets of one name the last counts.
 */
export function resolveBrand(own: BrandParts, base: BrandParts | undefined): { settings: BrandSettings; snippets: BrandSnippet[] } {
  const snippets = [...(base?.snippets?.items ?? []), ...(own.snippets?.items ?? [])];
  return {
    settings: resolveSettings(own.settings, base?.settings.email ?? {}),
    snippets: [...new Map(snippets.map((snippet) => [snippet.name, snippet])).values()],
  };
}

function resolveSettings(settings: BrandSettings, base: BrandEmail): BrandSettings {
  const { email } = settings;
  if (!email) return settings;
  const resolved: BrandEmail = { ...email };
  for (const part of INHERITABLE) if (email[part]?.inheritDefault) assign(resolved, part, base[part]);
  if (resolved.footer?.social?.inheritDefault) resolved.footer = withSocial(resolved.footer, base.footer);
  return { ...settings, email: resolved };
}

function withSocial({ social: _own, ...footer }: BrandFooter, base: BrandFooter | null | undefined): BrandFooter {
  return base?.social ? { ...footer, social: base.social } : footer;
}

function assign<Part extends keyof BrandEmail>(email: BrandEmail, part: Part, value: BrandEmail[Part]): void {
  if (value) email[part] = value;
  else delete email[part];
}
