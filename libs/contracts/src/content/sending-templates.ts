import { IsArray } from 'class-validator';
import { IsListOf, OptionalText, Text, Uuid } from '../core/fields';
import { defineOperations } from '../core/operation';
import type { ElementalContent } from './elemental';
import type { ChannelSettings, MessageRouting, ProviderSettings } from './routing';
import type { TemplateEmail } from './template-fields';

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
  @IsListOf(() => TemplateKey, LOADED_TEMPLATES_MAX) templates: TemplateKey[];
}

/** How a template was found. `tenant`: only the tenant has a template of that name, not the workspace. */
export type TemplateMatch = 'id' | 'alias' | 'event' | 'tenant';

/** A template for a send: its published version, with the settings of its strategy and of the tenant's template. */
export interface LoadedTemplate {
  /** With `matched: 'tenant'`: the id of the tenant's template. */
  notification_id: string;
  matched: TemplateMatch;
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
  /** The routing of the tenant's template, else of the linked strategy, else `null`. */
  routing: MessageRouting | null;
  channels: Record<string, ChannelSettings>;
  providers: Record<string, ProviderSettings>;
}

export class LoadedTemplates {
  /**
   * In the order requested; `null` for an unknown template. A large answer ends early: it then has the first of the requested
   * templates, at least one, and the caller requests the rest.
   */
  @IsArray() templates: (LoadedTemplate | null)[];
}

export const sendingTemplates = defineOperations('content.templates', 'internal', {
  load: {
    allowsUnstorable: true,
    summary: 'Load up to 500 templates for a send, in a constant number of statements',
    request: LoadTemplates,
    response: LoadedTemplates,
    repeatable: true,
  },
});
