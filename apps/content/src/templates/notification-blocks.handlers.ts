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
type LocalesOfPart = PutLocalesOfBlock | PutLocalesOfChannel;

const idOfBlock = ({ block_id }: PutLocalesOfBlock): string => block_id;
const idOfChannel = ({ channel_id }: PutLocalesOfChannel): string => channel_id;

@Handles(notificationBlocks)
export class NotificationBlocksHandlers {
  constructor(private readonly changes: ContentChanges) {}

  readonly replace = this.putIn('published');
  readonly replaceDraft = this.putIn('draft');
  readonly replaceLocales = this.putLocalesIn('published');
  readonly replaceDraftLocales = this.putLocalesIn('draft');
  readonly translateBlock = this.addLocales('published', 'blocks', idOfBlock);
  readonly translateDraftBlock = this.addLocales('draft', 'blocks', idOfBlock);
  readonly translateChannel = this.addLocales('published', 'channels', idOfChannel);
  readonly translateDraftChannel = this.addLocales('draft', 'channels', idOfChannel);

  async replaceDraftLocale(context: CallContext, request: PutBlockLocale) {
    const { id, localeId, blocks, channels, ...rest } = request;
    rest satisfies Record<string, never>;
    assertLocale(localeId, 'localeId');
    return this.translate(context, 'draft', id, (content) => inLocale(content, localeId, { blocks, channels }));
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
  private addLocales<Request extends LocalesOfPart>(of: TargetVersion, kind: keyof BlockContent, idOf: (request: Request) => string) {
    return async (context: CallContext, request: Request): Promise<ContentMutation> => {
      const part = { id: idOf(request), locales: request.locales };
      return this.translate(context, of, request.id, (content) => {
        if (!content[kind].some(({ id }) => id === part.id)) {
          throw notFound(`${kind === 'blocks' ? 'Block' : 'Channel'} ${part.id} does not exist in template ${request.id}`);
        }
        return translateBlocks(content, { [kind]: [part] }, (present, added) => ({ ...present, ...localesOf(added) }));
      });
    };
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
