import { Injectable } from '@nestjs/common';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { assertElemental } from '@tidings/contracts/content/assert-elemental';
import type { ContentMutation } from '@tidings/contracts/content/notification-content';
import type { TemplateState } from '@tidings/contracts/content/template-fields';
import type { CallContext } from '@tidings/contracts/core/context';
import { Outbox } from '@tidings/persistence/outbox';
import { RenderChecks } from '../rendering/render-checks';
import { blockChecksums, type BlockContent } from './blocks';
import { checksumsOf, type Elements } from './elements';
import { OpenTemplate } from './template-store';
import { elementsOf, type VersionFields } from './template-version.entity';
import { etagOf } from './template.entity';
import { DRAFT, versionName } from './version-name';

interface ContentChangeOptions {
  id: string;
  /** Which version is changed: the draft, which `state` may publish, or the published one. */
  of: 'draft' | 'published';
  /** Replaces the whole content: also publishes a template that is not published yet. */
  whole?: boolean;
  state?: TemplateState | null;
  ifMatch?: string | null;
}

/** The content as stored: Elemental or blocks. */
type StoredContent = Pick<VersionFields, 'content' | 'elementIds'>;

/** Changes of a template's content, one transaction each. */
@Injectable()
export class ContentChanges {
  constructor(
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
  ) {}

  /**
   * Applies a change and returns the new state. Elemental is checked again, as `change` may have assembled it.
   * @param change computes the new content from the present fields; the same object where nothing changes.
   */
  async change(
    context: CallContext,
    { id, of, whole, state, ifMatch }: ContentChangeOptions,
    change: (fields: VersionFields) => StoredContent,
  ): Promise<ContentMutation> {
    return this.checks.whilePublishing(context, 'content', async (tx, assertRenders) => {
      const template = await OpenTemplate.lock(tx, this.outbox, context.workspaceId, id, ifMatch);
      const { row } = template;
      if (of === 'published' && row.publishedVersion === null && !whole) {
        throw notFound(`Template ${id} is not published: change its draft`);
      }
      const version = of === 'draft' ? DRAFT : (row.publishedVersion ?? DRAFT);
      const present = await template.read(version);
      const fields: VersionFields = { ...present, ...change(present) };
      const changed = fields.content !== present.content;
      if (changed && fields.elementIds !== null) assertElemental(fields.content, 'content');
      if (of === 'draft' || row.publishedVersion === null) {
        if (changed) await template.putDraft(fields);
        if (of === 'published' || state === 'PUBLISHED') await template.publishDraft(assertRenders);
      } else if (changed) {
        await template.putPublished(fields, assertRenders);
      }
      await template.save();
      const published = of === 'published' || state === 'PUBLISHED';
      return {
        id,
        version: published ? versionName(row.publishedVersion!) : 'draft',
        state: published ? 'PUBLISHED' : 'DRAFT',
        elements: elementsOf(fields) ? checksumsOf(elementsOf(fields)!) : blockChecksums(fields.content as BlockContent),
        etag: etagOf(row),
      };
    });
  }
}

/** The elements of a version. @throws ServiceError `invalid_request` where its content is blocks. */
export function requireElements(fields: VersionFields): Elements {
  const elements = elementsOf(fields);
  if (!elements) throw invalid('The content of this template is of blocks: replace it by elements first');
  return elements;
}

/** The blocks of a version. @throws ServiceError `invalid_request` where its content is elements. */
export function requireBlocks(fields: VersionFields): BlockContent {
  if (fields.elementIds !== null) {
    throw invalid('The content of this template is of elements: translations of blocks are no translations of it');
  }
  return fields.content as BlockContent;
}

/** Blocks as stored content. */
export function storedBlocks(content: BlockContent): StoredContent {
  return { content, elementIds: null };
}

/** Elements as stored content. */
export function storedElements({ content, ids }: Elements): StoredContent {
  return { content, elementIds: ids };
}
