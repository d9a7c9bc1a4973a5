import type { BlockText, ChannelText } from '@tidings/contracts/content/blocks';
import {
  notificationBlocks,
  type PutBlockLocale,
  type PutBlockLocales,
  type PutBlocks,
  type PutLocalesOfBlock,
  type PutLocalesOfChannel,
} from '@tidings/contracts/content/notification-blocks';
import type { ContentMutation } from '@tidings/contracts/content/notification-content';
import { assertLocale } from '@tidings/contracts/content/locale';
import type { CallContext } from '@tidings/contracts/core/context';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid, notFound } from '@tidings/contracts/core/refusals';
import { Handles } from '@tidings/rpc/handles';
import { type BlockContent, storableBlocks, translateBlocks } from './blocks';
import { ContentChanges, requireBlocks, storedBlocks } from './content-changes';
import { inLocale } from './notification-content.handlers';

type TargetVersion = 'draft' | 'published';

@Handles(notificationBlocks)
export class NotificationBlocksHandlers {
  constructor(private readonly changes: ContentChanges) {}

  readonly replace = this.putIn('published');
  readonly replaceDraft = this.putIn('draft');
  readonly replaceLocales = this.putLocalesIn('published');
  readonly replaceDraftLocales = this.putLocalesIn('draft');

  async replaceDraftLocale(context: CallContext, request: PutBlockLocale): Promise<ContentMutation> {
    const { id, localeId, blocks, channels, ...rest } = request;
    rest satisfies Record<string, never>;
    assertLocale(localeId, 'localeId');
    return this.translate(context, 'draft', id, (content) => inLocale(content, localeId, { blocks, channels }));
  }

  translateBlock(context: CallContext, { id, block_id, locales, ...rest }: PutLocalesOfBlock): Promise<ContentMutation> {
    rest satisfies Record<string, never>;
    return this.addLocales(context, 'published', id, 'blocks', { id: block_id, locales });
  }

  translateDraftBlock(context: CallContext, { id, block_id, locales, ...rest }: PutLocalesOfBlock): Promise<ContentMutation> {
    rest satisfies Record<string, never>;
    return this.addLocales(context, 'draft', id, 'blocks', { id: block_id, locales });
  }

  translateChannel(context: CallContext, { id, channel_id, locales, ...rest }: PutLocalesOfChannel): Promise<ContentMutation> {
    rest satisfies Record<string, never>;
    return this.addLocales(context, 'published', id, 'channels', { id: channel_id, locales });
  }

  translateDraftChannel(context: CallContext, { id, channel_id, locales, ...rest }: PutLocalesOfChannel): Promise<ContentMutation> {
    rest satisfies Record<string, never>;
    return this.addLocales(context, 'draft', id, 'channels', { id: channel_id, locales });
  }

  private putIn(of: TargetVersion) {
    return async (context: CallContext, { id, ...blocks }: PutBlocks): Promise<ContentMutation> => {
      const content = storableBlocks(blocks);
      return this.changes.change(context, { id, of, whole: true }, () => storedBlocks(content));
    };
  }

  private putLocalesIn(of: TargetVersion) {
    return async (context: CallContext, { id, blocks, channels, ...rest }: PutBlockLocales): Promise<ContentMutation> => {
      rest satisfies Record<string, never>;
      if (blocks.length === 0 && !channels?.length) return this.changes.change(context, { id, of }, (present) => present);
      return this.translate(context, of, id, (content) => translateBlocks(content, { blocks, channels }, (_, part) => localesOf(part)));
    };
  }

  /** Adds or replaces the named languages; others stay. */
  private async addLocales(
    context: CallContext,
    of: TargetVersion,
    id: string,
    kind: keyof BlockContent,
    part: { id: string; locales: Record<string, BlockText | ChannelText> },
  ): Promise<ContentMutation> {
    return this.translate(context, of, id, (content) => {
      if (!content[kind].some((present) => present.id === part.id)) {
        throw notFound(`${kind === 'blocks' ? 'Block' : 'Channel'} ${part.id} does not exist in template ${id}`);
      }
      return translateBlocks(content, { [kind]: [part] }, (present, added) =>
        Object.fromEntries([...Object.entries(present), ...Object.entries(localesOf(added))]),
      );
    });
  }

  private translate(
    context: CallContext,
    of: TargetVersion,
    id: string,
    change: (content: BlockContent) => BlockContent,
  ): Promise<ContentMutation> {
    return this.changes.change(context, { id, of }, (present) => storedBlocks(change(requireBlocks(present))));
  }
}

function localesOf({ id, locales }: Record<string, unknown>): Record<string, unknown> {
  if (locales === undefined || locales === null) return {};
  if (isJsonObject(locales)) return locales;
  throw invalid(`locales of ${JSON.stringify(id)} must be an object with a language for each key`);
}
