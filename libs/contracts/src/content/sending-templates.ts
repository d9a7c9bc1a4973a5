import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsOptional, IsString, IsUUID, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import type { ElementalContent } from './elemental';
import type { ChannelSettings, MessageRouting, ProviderSettings } from './routing';
import type { TemplateEmail } from './template-fields';

export const LOADED_TEMPLATES_MAX = 500;
/** Of one answer, in bytes of JSON; one template more than fits is still answered. */
export const LOADED_TEMPLATES_BYTES_MAX = 4 * 1024 * 1024;

/** What a send calls a template; the call is the system's own, over many workspaces at once. */
export class TemplateKey {
  @IsUUID()
  workspace_id!: string;

  /** A template's id, its alias, a mapped event's id, or `tenant/<template>` of the tenant's own. What cannot be one names nothing. */
  @IsString()
  template!: string;

  /** Whose template of that name takes the place of the workspace's, where there is a published one. */
  @IsOptional()
  @IsString()
  tenant_id?: string;
}

export class LoadTemplates {
  @IsArray()
  @ArrayMaxSize(LOADED_TEMPLATES_MAX)
  @ValidateNested({ each: true })
  @Type(() => TemplateKey)
  templates!: TemplateKey[];
}

/** How a template was found. `tenant`: the workspace has none of that name, only the tenant. */
export type TemplateMatch = 'id' | 'alias' | 'event' | 'tenant';

/** A template as a send needs it: what is published, with what its strategy and the tenant's template say. */
export interface LoadedTemplate {
  /** With `matched: 'tenant'` the id of the tenant's template. */
  notification_id: string;
  matched: TemplateMatch;
  /** False where nothing of it is published: then there is no content and no version. */
  published: boolean;
  /** `v003`; of a tenant's template `v3`. */
  version: string | null;
  content: ElementalContent | null;
  /** The tenant whose template this is; `null` for the workspace's. */
  tenant_id: string | null;
  name: string;
  tags: string[];
  /** The brand's id; `null`: without a brand. Absent with `matched: 'tenant'`: a tenant's template says nothing of brands. */
  brand?: string | null;
  topic_id: string | null;
  email: TemplateEmail | null;
  /** Of the tenant's template, else of the linked strategy; `null` where neither says any. */
  routing: MessageRouting | null;
  channels: Record<string, ChannelSettings>;
  providers: Record<string, ProviderSettings>;
}

export class LoadedTemplates {
  /**
   * In the order asked; `null` for what names nothing. What is large ends the answer early: it is then a beginning of what
   * was asked, at least one, and the caller asks again for the rest.
   */
  @IsArray()
  templates!: (LoadedTemplate | null)[];
}

export const sendingTemplates = {
  load: defineOperation({
    pattern: 'content.templates.load',
    scope: 'internal',
    summary: 'Everything a send needs to know of up to 500 templates, in a constant number of statements',
    request: LoadTemplates,
    response: LoadedTemplates,
    repeatable: true,
  }),
};
