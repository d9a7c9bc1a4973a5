import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { invalid, shown } from '@tidings/contracts/core/refusals';
import { assertStorable, keyPath } from '@tidings/contracts/core/text';
import { ELEMENTAL_BYTES_MAX, NODE_LOCALES_MAX } from '@tidings/contracts/content/assert-elemental';
import type { Block, BlockChannel, Blocks, BlockText, ChannelText } from '@tidings/contracts/content/blocks';
import type { ElementChecksum, TemplateContent } from '@tidings/contracts/content/notification-content';
import { checksumOf } from './checksum';

/** Content of the first generation as it is kept: without checksums, which are made anew. */
export interface BlockContent {
  blocks: Block[];
  channels: BlockChannel[];
}

type Part = Block | BlockChannel;

/**
 * Blocks as they are kept.
 * @throws ServiceError `invalid_request` naming what is no text, what is there twice, and what is too large.
 */
export function storableBlocks({ blocks, channels }: Blocks): BlockContent {
  const stored: BlockContent = { blocks: blocks.map(withoutChecksum), channels: (channels ?? []).map(withoutChecksum) };
  assertStorable(stored, '');
  assertBlockContent(stored);
  return stored;
}

function assertBlockContent(content: BlockContent): void {
  for (const kind of ['blocks', 'channels'] as const) {
    const ids = new Set<string>();
    content[kind].forEach((part, index) => {
      const path = `${kind}[${index}]`;
      if (ids.has(part.id)) throw invalid(`${path}.id ${JSON.stringify(part.id)} is there twice`);
      ids.add(part.id);
      assertSaid(kind, part.content, `${path}.content`);
      assertLocales(kind, part.locales, `${path}.locales`);
    });
  }
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes > ELEMENTAL_BYTES_MAX) throw invalid(`The blocks have ${bytes} bytes of JSON, at most ${ELEMENTAL_BYTES_MAX} are allowed`);
}

function assertLocales(kind: keyof BlockContent, locales: unknown, path: string): void {
  if (locales === undefined || locales === null) return;
  if (!isJsonObject(locales)) throw invalid(`${path} must be an object with a language for each key`);
  const names = Object.keys(locales);
  if (names.length > NODE_LOCALES_MAX) throw invalid(`${path} has ${names.length} languages, at most ${NODE_LOCALES_MAX} are allowed`);
  for (const name of names) assertSaid(kind, locales[name], keyPath(path, name));
}

/** A text, or texts by the names that the kind knows. */
function assertSaid(kind: keyof BlockContent, said: unknown, path: string): void {
  if (said === undefined || said === null || (kind === 'blocks' && typeof said === 'string')) return;
  const names = kind === 'blocks' ? ['parent', 'children'] : ['subject', 'title'];
  if (!isJsonObject(said)) throw invalid(`${path} must be ${kind === 'blocks' ? 'a text or ' : ''}an object with ${names.join(' and ')}`);
  for (const name of names) {
    const text = said[name];
    if (text !== undefined && text !== null && typeof text !== 'string') throw invalid(`${path}.${name} must be a text`);
  }
}

/** The content as it is answered. */
export function answerBlocks({ blocks, channels }: BlockContent): TemplateContent {
  return { blocks: blocks.map(withChecksum), channels: channels.map(withChecksum), checksum: checksumOf([blocks, channels].map(saidBy)) };
}

/** Id and checksum of every block and channel. */
export function blockChecksums({ blocks, channels }: BlockContent): ElementChecksum[] {
  return [...blocks, ...channels].map((part) => ({ id: part.id, checksum: checksumOf(part.content ?? null) }));
}

/**
 * The content with what some blocks and channels say in other languages, by their ids.
 * @param translated the languages of a part as they are to be, of what it has now and what was given for it.
 * @throws ServiceError `invalid_request` for a part that does not exist, and as `storableBlocks`.
 */
export function translateBlocks(
  content: BlockContent,
  given: Partial<Record<keyof BlockContent, readonly Record<string, unknown>[] | null>>,
  translated: (present: Record<string, unknown>, part: Record<string, unknown>) => Record<string, unknown>,
): BlockContent {
  assertStorable(given, '');
  const after: BlockContent = { blocks: [...content.blocks], channels: [...content.channels] };
  for (const kind of ['blocks', 'channels'] as const) {
    (given[kind] ?? []).forEach((part, index) => {
      const place = after[kind].findIndex(({ id }) => id === part.id);
      if (place === -1) throw invalid(`${kind}[${index}].id must be that of one of the template's ${kind} (got ${shown(part.id)})`);
      const present = after[kind][place]!;
      after[kind][place] = { ...present, locales: translated(present.locales ?? {}, part) } as Block & BlockChannel;
    });
  }
  assertStorable(after, ''); // a language may be called anything, and has become a key
  assertBlockContent(after);
  return after;
}

function withoutChecksum<P extends Part>({ checksum: _, ...part }: P): P {
  return part as P;
}

function withChecksum<P extends Part>(part: P): P {
  return { ...part, checksum: checksumOf(part.content ?? null) };
}

function saidBy(parts: readonly Part[]): (BlockText | ChannelText | null)[] {
  return parts.map(({ content }) => content ?? null);
}
