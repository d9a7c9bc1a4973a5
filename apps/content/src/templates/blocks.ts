import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import { assertAtMost, invalid, isGiven, shown } from '@tidings/contracts/core/refusals';
import { assertStorable, keyPath } from '@tidings/contracts/core/text';
import { ELEMENTAL_BYTES_MAX, NODE_LOCALES_MAX } from '@tidings/contracts/content/assert-elemental';
import type { Block, BlockChannel, Blocks } from '@tidings/contracts/content/blocks';
import type { TemplateContent } from '@tidings/contracts/content/notification-content';
import { checksumOf } from './checksum';

/** Block content, the older form, as stored: without checksums, which are computed for answers. */
export interface BlockContent {
  blocks: Block[];
  channels: BlockChannel[];
}

type Part = Block | BlockChannel;

/**
 * Blocks as they are stored.
 * @throws ServiceError `invalid_request` naming a value that is no text, a duplicate id, or content that is too large.
 */
export function storableBlocks({ blocks, channels }: Blocks): BlockContent {
  const stored: BlockContent = { blocks: blocks.map(withoutChecksum), channels: (channels ?? []).map(withoutChecksum) };
  assertStorable(stored, '');
  assertBlockContent(stored);
  return stored;
}

function assertBlockContent(content: BlockContent) {
  for (const kind of ['blocks', 'channels'] as const) {
    const ids = new Set<string>();
    content[kind].forEach((part, index) => {
      const path = `${kind}[${index}]`;
      if (ids.has(part.id)) throw invalid(`${path}.id ${JSON.stringify(part.id)} is there twice`);
      ids.add(part.id);
      assertTexts(kind, part.content, `${path}.content`);
      assertLocales(kind, part.locales, `${path}.locales`);
    });
  }
  const bytes = Buffer.byteLength(JSON.stringify(content));
  if (bytes > ELEMENTAL_BYTES_MAX) throw invalid(`The blocks have ${bytes} bytes of JSON, at most ${ELEMENTAL_BYTES_MAX} are allowed`);
}

function assertLocales(kind: keyof BlockContent, locales: unknown, path: string) {
  if (!isGiven(locales)) return;
  if (!isJsonObject(locales)) throw invalid(`${path} must be an object with a language for each key`);
  const names = Object.keys(locales);
  assertAtMost(NODE_LOCALES_MAX, names.length, path, 'languages');
  for (const name of names) assertTexts(kind, locales[name], keyPath(path, name));
}

/** Accepts a text (of blocks), or an object with the texts of the kind. */
function assertTexts(kind: keyof BlockContent, value: unknown, path: string) {
  if (!isGiven(value) || (kind === 'blocks' && typeof value === 'string')) return;
  const names = kind === 'blocks' ? ['parent', 'children'] : ['subject', 'title'];
  if (!isJsonObject(value)) throw invalid(`${path} must be ${kind === 'blocks' ? 'a text or ' : ''}an object with ${names.join(' and ')}`);
  for (const name of names) {
    if (isGiven(value[name]) && typeof value[name] !== 'string') throw invalid(`${path}.${name} must be a text`);
  }
}

/** The content as returned to clients, with checksums. */
export function answerBlocks({ blocks, channels }: BlockContent): TemplateContent {
  const texts = [blocks, channels].map((parts: readonly Part[]) => parts.map(({ content }) => content ?? null));
  return { blocks: blocks.map(withChecksum), channels: channels.map(withChecksum), checksum: checksumOf(texts) };
}

/** Id and checksum of every block and channel. */
export function blockChecksums({ blocks, channels }: BlockContent) {
  return [...blocks, ...channels].map((part) => ({ id: part.id, checksum: checksumOf(part.content ?? null) }));
}

/**
 * The content with translations of some blocks and channels, by their ids.
 * @param translated computes a part's languages from its present ones and the given part.
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
      const position = after[kind].findIndex(({ id }) => id === part.id);
      if (position === -1) throw invalid(`${kind}[${index}].id must be that of one of the template's ${kind} (got ${shown(part.id)})`);
      const present = after[kind][position]!;
      after[kind][position] = { ...present, locales: translated(present.locales ?? {}, part) } as Block & BlockChannel;
    });
  }
  assertStorable(after, ''); // the name of a language may be any text and is a key now
  assertBlockContent(after);
  return after;
}

const withoutChecksum = <P extends Part>({ checksum: _, ...part }: P): P => part as P;

const withChecksum = <P extends Part>(part: P): P => ({ ...part, checksum: checksumOf(part.content ?? null) });
