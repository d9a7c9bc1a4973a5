import {
  notificationBlocks,
  type PutBlockLocale,
  type PutBlockLocales,
  type PutBlocks,
  type PutLocalesOfBlock,
  type PutLocalesOfChannel,
} from '@tidings/contracts/content/notification-blocks';
import { assertLocale } from '@tidings/contracts/content/locale';
import type { CallContext } from '@tidings/contracts/core/context';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid, isGiven, notFound } from '@tidings/contracts/core/refusals';
import { Handles } from '@tidings/rpc/handles';
import { storableBlocks, translateBlocks } from './blocks';
import { ContentChanges } from './content-changes';
import { inLocale } from './notification-content.handlers';

type TargetVersion = 'draft' | 'published';

@Handles(notificationBlocks)
export class NotificationBlocksHandlers {
  constructor(private readonly changes: ContentChanges) {}

  readonly replace = this.putIn('published');
  readonly replaceDraft = this.putIn('draft');
  readonly replaceLocales = this.putLocalesIn('published');
  readonly replaceDraftLocales = this.putLocalesIn('draft');
  readonly translateBlock = this.addLocalesIn('published');
  readonly translateDraftBlock = this.addLocalesIn('draft');
  readonly translateChannel = this.addLocalesIn('published');
  readonly translateDraftChannel = this.addLocalesIn('draft');

  async replaceDraftLocale(context: CallContext, request: PutBlockLocale) {
    const { id, localeId, blocks, channels, ...rest } = request;
    rest satisfies Record<string, never>;
    assertLocale(localeId, 'localeId');
    return this.changes.changeBlocks(context, { id, of: 'draft' }, (content) => inLocale(content, localeId, { blocks, channels }));
  }

  private putIn(of: TargetVersion) {
    return async (context: CallContext, { id, ...blocks }: PutBlocks) => {
      const content = storableBlocks(blocks);
      return this.changes.change(context, { id, of, whole: true }, () => ({ content, elementIds: null }));
    };
  }

  private putLocalesIn(of: TargetVersion) {
    return async (context: CallContext, { id, blocks, channels, ...rest }: PutBlockLocales) => {
      rest satisfies Record<string, never>;
      if (blocks.length === 0 && !channels?.length) return this.changes.change(context, { id, of }, (present) => present);
      return this.changes.changeBlocks(context, { id, of }, (content) =>
        translateBlocks(content, { blocks, channels }, (_, part) => localesOf(part)),
      );
    };
  }

  /** Adds or replaces the named languages of a block or a channel; others stay. */
  private addLocalesIn(of: TargetVersion) {
    return async (context: CallContext, request: PutLocalesOfBlock | PutLocalesOfChannel) => {
      const { id, locales } = request;
      const ofBlock = 'block_id' in request;
      const kind = ofBlock ? 'blocks' : 'channels';
      const partId = ofBlock ? request.block_id : request.channel_id;
      return this.changes.changeBlocks(context, { id, of }, (content) => {
        if (!content[kind].some((part) => part.id === partId)) {
          throw notFound(`${ofBlock ? 'Block' : 'Channel'} ${partId} does not exist in template ${id}`);
        }
        return translateBlocks(content, { [kind]: [{ id: partId, locales }] }, (present) => ({ ...present, ...locales }));
      });
    };
  }
}

function localesOf({ id, locales }: Record<string, unknown>) {
  if (!isGiven(locales)) return {};
  if (isJsonObject(locales)) return locales;
  throw invalid(`locales of ${JSON.stringify(id)} must be an object with a language for each key`);
}
