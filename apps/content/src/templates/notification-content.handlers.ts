import { invalid } from '@tidings/contracts/core/refusals';
import { DataSource } from 'typeorm';
import { assertElemental } from '@tidings/contracts/content/assert-elemental';
import { ELEMENTAL_VERSION } from '@tidings/contracts/content/elemental';
import { notificationContent, type PutContent, type PutElement, type PutLocale } from '@tidings/contracts/content/notification-content';
import type { TemplateVersion } from '@tidings/contracts/content/notifications';
import { type NamedTemplate, type TemplateState } from '@tidings/contracts/content/template-fields';
import { assertLocale } from '@tidings/contracts/content/locale';
import type { CallContext } from '@tidings/contracts/core/context';
import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { Handles } from '@tidings/rpc/handles';
import { answerBlocks, type BlockContent, translateBlocks } from './blocks';
import { ContentChanges } from './content-changes';
import { answerElements, replaceElement, replaceLocale, withIds } from './elements';
import { etagOf, readTemplate } from './template.entity';
import { DRAFT, parseVersion, SHOWN } from './version-name';

@Handles(notificationContent)
export class NotificationContentHandlers {
  constructor(
    private readonly dataSource: DataSource,
    private readonly changes: ContentChanges,
  ) {}

  async retrieve({ workspaceId }: CallContext, { id, version }: TemplateVersion) {
    return this.read(workspaceId, id, parseVersion(version, SHOWN), version);
  }

  async retrieveDraft({ workspaceId }: CallContext, { id }: NamedTemplate) {
    return this.read(workspaceId, id, DRAFT);
  }

  async replace(context: CallContext, { id, content, state, if_match, ...rest }: PutContent) {
    rest satisfies Record<string, never>;
    assertElemental(content, 'content');
    return this.changes.change(context, { id, of: 'draft', state, ifMatch: if_match }, (present) =>
      withIds({ ...content, version: content.version ?? ELEMENTAL_VERSION }, present),
    );
  }

  async replaceElement(context: CallContext, { id, elementId, element, if_match, ...rest }: PutElement) {
    rest satisfies Record<string, never>;
    const { state, data, ...fields } = element;
    if (data !== undefined && data !== null && !isJsonObject(data)) throw invalid('data must be an object');
    const node = { ...data, ...fields };
    return this.changes.changeElements(context, { id, of: 'draft', state: stateOf(state), ifMatch: if_match }, (elements) =>
      replaceElement(elements, elementId, node),
    );
  }

  async replaceLocale(context: CallContext, request: PutLocale) {
    const { id, localeId, elements, blocks, channels, state, if_match, ...rest } = request;
    rest satisfies Record<string, never>;
    assertLocale(localeId, 'localeId');
    if (blocks) {
      return this.changes.changeBlocks(context, { id, of: 'published', ifMatch: if_match }, (content) =>
        inLocale(content, localeId, { blocks, channels }),
      );
    }
    if (!elements) throw invalid('elements must be an array of translations of elements into this language');
    return this.changes.changeElements(context, { id, of: 'draft', state, ifMatch: if_match }, (present) =>
      replaceLocale(present, localeId, elements),
    );
  }

  private async read(workspaceId: string, id: string, version: number, sent?: string | null) {
    const row = await readTemplate(this.dataSource.manager, workspaceId, id, version, sent);
    const { shown } = row;
    const etag = etagOf(row);
    if (shown.elementIds === null) return { ...answerBlocks(shown.content), etag };
    return { version: shown.content.version ?? ELEMENTAL_VERSION, elements: answerElements(shown), etag };
  }
}

/** The content with translations of some blocks and channels into one language. */
export function inLocale(
  content: BlockContent,
  localeId: string,
  given: { blocks: Record<string, unknown>[]; channels?: Record<string, unknown>[] | null },
): BlockContent {
  return translateBlocks(content, given, (present, part) =>
    Object.fromEntries([...Object.entries(present), [localeId, part.content ?? '']]),
  );
}

function stateOf(state: unknown): TemplateState {
  const upper = typeof state === 'string' ? state.toUpperCase() : (state ?? 'DRAFT');
  if (upper === 'DRAFT' || upper === 'PUBLISHED') return upper;
  throw invalid(`state must be one of DRAFT, PUBLISHED (got ${JSON.stringify(state).slice(0, 60)})`);
}
