import { IsListOf, OptionalFlag, OptionalText, Text, Texts, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import type { ElementalContent } from './elemental';
import type { MessageRouting, SettingsByChannel, SettingsByProvider } from './routing';
import type { TemplateEmail } from './template-fields';
import type { BrandSettings, BrandSnippet } from './brand-settings';

export const LOADED_TEMPLATES_MAX = 500;
/** Size of one answer, in bytes of JSON; the template that exceeds it is still included. */
export const LOADED_TEMPLATES_BYTES_MAX = 4 * 1024 * 1024;

/** A template as named by a send; an internal call may span many workspaces. */
export class TemplateKey {
  @Uuid workspace_id: string;

  /** A template's id, its alias, a mapped event's id, or `tenant/<template>` for the tenant's own. Other texts match no template. */
  @Text template: string;

  /** The tenant whose published template of that name, if any, replaces the workspace's. */
  @OptionalText tenant_id?: string;
}

export class LoadTemplates {
  @IsListOf(TemplateKey, LOADED_TEMPLATES_MAX) templates: TemplateKey[];

  /** Whether secrets of overrides stay sealed. Absent: they are opened, for callers of earlier versions. */
  @OptionalFlag sealed?: boolean;
}

/** A template for a send: its published version, with the settings of its strategy and of the tenant's template. */
export interface LoadedTemplate {
  /** With `matched: 'tenant'`: the id of the tenant's template. */
  notification_id: string;
  /** The alias of the workspace's template. */
  alias: string | null;
  /** How the template was found. `tenant`: only the tenant has a template of that name, not the workspace. */
  matched: 'id' | 'alias' | 'event' | 'tenant';
  /** False if no version is published: then content and version are `null`. */
  published: boolean;
  /** `v003`; for a tenant's template `v3`. */
  version: string | null;
  content: ElementalContent | null;
  /** The tenant that owns the template; `null` for the workspace's. */
  tenant_id: string | null;
  name: string;
  tags: string[];
  /** The brand's id; `null`: no brand. Absent with `matched: 'tenant'`: a tenant's template has no brand setting. */
  brand?: string | null;
  topic_id: string | null;
  email: TemplateEmail | null;
  /** Whether a missing variable fails the channel; absent: false. A tenant's template has the setting of the one it replaces. */
  throw_on_missing_variable?: boolean;
  /** The routing of the tenant's template, else of the linked strategy, else `null`. */
  routing: MessageRouting | null;
  /** Secrets of overrides, here and in `providers`, are sealed where content has a key; those stored before it had one are in clear. */
  channels: SettingsByChannel;
  providers: SettingsByProvider;
}

export class LoadedTemplates {
  /**
   * In the order requested; `null` for an unknown template. A large answer ends early: it then has the first of the requested
   * templates, at least one, and the caller requests the rest.
   */
  templates: (LoadedTemplate | null)[];
}

export class FindMissingTemplates {
  /** Ids or aliases. */
  @Texts names: string[];
}

export class MissingTemplates {
  /** The names that no template of the workspace has, in the order given. */
  missing: string[];
}

export const sendingTemplates = defineOperations('content.templates', 'internal', {
  /** Only warns a client: it must not wait long for the answer. */
  findMissing: {
    allowsUnstorable: true,
    summary: 'Which of these names are neither id nor alias of a template, in one statement',
    request: FindMissingTemplates,
    response: MissingTemplates,
    repeatable: true,
    deadlineMs: 1_000,
  },
  load: {
    allowsUnstorable: true,
    summary: 'Load up to 500 templates for a send, in a constant number of statements',
    request: LoadTemplates,
    response: LoadedTemplates,
    repeatable: true,
  },
});

export const LOADED_BRANDS_MAX = 500;
/** Size of one answer, in bytes of JSON; the brand that exceeds it is still included. */
export const LOADED_BRANDS_BYTES_MAX = 4 * 1024 * 1024;

/** A brand of a workspace; an internal call may span many workspaces. */
export class BrandKey {
  @Uuid workspace_id: string;

  /** Default: the default brand. A text that cannot be an id matches no brand. */
  @OptionalText brand_id?: string;
}

export class LoadBrands {
  @IsListOf(BrandKey, LOADED_BRANDS_MAX) brands: BrandKey[];
}

/** A brand for rendering, with inherited parts resolved. */
export interface ResolvedBrand {
  id: string;
  name: string;
  /** Changes with every change of the brand or of the default brand. */
  version: string;
  /** The email's header, head, footer and the footer's social links are the default brand's where `inheritDefault` is set. */
  settings: BrandSettings;
  /** Snippets of the brand and of the default brand; the brand's own win. Each name once. */
  snippets: BrandSnippet[];
}

export class LoadedBrands {
  /**
   * In the order requested; `null` for an unknown brand. A large answer ends early: it then has the first of the requested brands,
   * at least one, and the caller requests the rest.
   */
  brands: (ResolvedBrand | null)[];
}

/**
 * A change of the default brand (`contentChanged` of its id) changes every brand of the workspace, since they may inherit its parts
 * and snippets.
 */
export const sendingBrands = defineOperations('content.brands', 'internal', {
  load: {
    allowsUnstorable: true,
    summary: 'Load up to 500 brands for rendering, in one statement',
    request: LoadBrands,
    response: LoadedBrands,
    repeatable: true,
  },
});

/** Size of one answer, in bytes of JSON; the chain that exceeds it is still included. */
export const LOADED_CHAINS_BYTES_MAX = 4 * 1024 * 1024;

/** A language of a workspace; an internal call may span many workspaces. */
export class TranslationKey {
  @Uuid workspace_id: string;

  /** The locale of the recipient's profile, in any spelling. Absent or invalid: only the translations of the default locale. */
  @OptionalText locale?: string;
}

export class LoadTranslations {
  @IsListOf(TranslationKey, 500) translations: TranslationKey[];
}

/** The translations into one language. */
export interface LoadedCatalogue {
  locale: string;
  /** Changes with every change of this locale in this workspace. */
  version: string;
  /** The text of a `.po` file. */
  po: string;
}

/** The existing catalogues of a fallback chain (`localeChain`), in its order. */
export interface LoadedChain {
  catalogues: LoadedCatalogue[];
}

export class LoadedTranslations {
  /**
   * In the order requested. A large answer ends early: it then has the first of the requested languages, at least one, and the
   * caller requests the rest.
   */
  translations: LoadedChain[];
}

/** A change of one locale (`contentChanged`) changes every chain that contains it. */
export const sendingTranslations = defineOperations('content.translations', 'internal', {
  load: {
    allowsUnstorable: true,
    summary: 'Load the translations for up to 500 languages with their fallbacks, in one statement',
    request: LoadTranslations,
    response: LoadedTranslations,
    repeatable: true,
  },
});
