import { Injectable } from '@nestjs/common';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { assertElemental } from '@tidings/contracts/content/assert-elemental';
import type { ContentMutation } from '@tidings/contracts/content/notification-content';
import type { TemplateState } from '@tidings/contracts/content/template-fields';
import type { CallContext } from '@tidings/contracts/core/context';
import { Outbox } from '@tidings/persistence/outbox';
import { draftWarnings } from '@tidings/rendering/checks/element-problems';
import { RenderChecks, warned } from '../rendering/render-checks';
import { blockChecksums, type BlockContent } from './blocks';
import { checksumsOf, type Elements, type StoredContent } from './elements';
import { OpenTemplate } from './template-store';
import { etagOf } from './template.entity';
import { DRAFT, versionName } from './version-name';

interface ContentChangeOptions {
  /** The template's id or alias. */
  id: string;
  /** Which version is changed: the draft, which `state` may publish, or the published one. */
  of: 'draft' | 'published';
  /** Replaces the whole content: also publishes a template that is not published yet. */
  whole?: boolean;
  state?: TemplateState | null;
  ifMatch?: string | null;
}

/** Changes of a template's content, one transaction each. */
@Injectable()
export class ContentChanges {
  constructor(
    private readonly outbox: Outbox,
    private readonly checks: RenderChecks,
  ) {}

  /**
   * Applies a change and returns the new state. Elemental is checked again, as `change` may have assembled it.
   * @param change computes the new content from the present one; the same object where nothing changes.
   */
  async change(
    context: CallContext,
    { id, of, whole, state, ifMatch }: ContentChangeOptions,
    change: (present: StoredContent) => StoredContent,
  ): Promise<ContentMutation> {
    return this.checks.whilePublishing(context, 'content', async (tx, check, warnings) => {
      const template = await OpenTemplate.lock(tx, this.outbox, context.workspaceId, id, ifMatch);
      const { row } = template;
      if (of === 'published' && row.publishedVersion === null && !whole) {
        throw notFound(`Template ${id} is not published: change its draft`);
      }
      const version = of === 'draft' ? DRAFT : (row.publishedVersion ?? DRAFT);
      const publishes = of === 'published' || state === 'PUBLISHED';
      const present = await template.read(version);
      const fields = { ...present, ...change(present) };
      const changed = fields.content !== present.content;
      if (changed && fields.elementIds !== null) {
        assertElemental(fields.content, 'content');
        if (!publishes) warnings.push(...draftWarnings(fields.content, 'content'));
      }
      if (version === DRAFT) {
        if (changed) await template.putDraft(fields);
        if (publishes) await template.publishDraft(check);
      } else if (changed) {
        await template.putPublished(fields, check);
      }
      await template.save();
      return {
        id: row.id,
        version: publishes ? versionName(row.publishedVersion!) : 'draft',
        state: publishes ? 'PUBLISHED' : 'DRAFT',
        elements: fields.elementIds === null ? blockChecksums(fields.content) : checksumsOf(fields),
        etag: etagOf(row),
        ...warned(warnings),
      };
    });
  }

  /** As `change`. @throws ServiceError `invalid_request` where the content is blocks. */
  changeElements(context: CallContext, options: ContentChangeOptions, change: (elements: Elements) => Elements) {
    return this.change(context, options, (present) => {
      if (present.elementIds === null) throw invalid('The content of this template is of blocks: replace it by elements first');
      return change(present);
    });
  }

  /** As `change`. @throws ServiceError `invalid_request` where the content is elements. */
  changeBlocks(context: CallContext, options: ContentChangeOptions, change: (content: BlockContent) => BlockContent) {
    return this.change(context, options, ({ content, elementIds }) => {
      if (elementIds !== null)
        throw invalid('The content of this template is of elements: translations of blocks are no translations of it');
      return { content: change(content), elementIds };
    });
  }
}
