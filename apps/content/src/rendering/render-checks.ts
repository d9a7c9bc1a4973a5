import { hash } from 'node:crypto';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { invalid } from '@tidings/contracts/core/refusals';
import type { EntityManager } from 'typeorm';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { CallContext } from '@tidings/contracts/core/context';
import { unavailable } from '@tidings/contracts/core/errors';
import { CallJournal } from '@tidings/persistence/call-journal';
import { assertBrandRenders, brandCheckCost, type CheckedBrand } from '@tidings/rendering/checks/brand-check';
import { assertContentRenders, contentCheckCost } from '@tidings/rendering/checks/content-check';
import { publishedWarnings } from '@tidings/rendering/checks/element-problems';
import { INLINE_COMPILE_MAX } from '@tidings/rendering/render-budget';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { findPoError } from '@tidings/rendering/translations/po-error';

/**
 * Checks content that is published. What it is warned of is added to the warnings of the call; content of blocks causes none.
 * @throws ServiceError `invalid_request` for content that cannot be rendered, or that can show nothing.
 */
export type CheckPublished = (content: ElementalContent, from: { readonly isOfBlocks: boolean }) => void;

/** The warnings about the request of a call, as a part of its answer. */
export function warned(warnings: readonly string[]) {
  return { warnings: warnings.length > 0 ? [...warnings] : undefined };
}

/** How often content may change while it is checked: each time another call put large content. */
const ROUNDS_MAX = 4;
/** Characters of a `.po` text that are parsed on the calling thread: some tens of milliseconds. */
const PO_INLINE_CHARS_MAX = 50_000;

/** Time a call needs after rendering, to answer or to write: so it fails before its deadline without having written. */
const AFTERWARDS_MS = 500;

/** When work on other threads must end for the call to be answered in time; an option of `RenderPool.run`. */
export function endBy({ expiresAt }: CallContext) {
  return { endBy: expiresAt && expiresAt - AFTERWARDS_MS };
}

/** Thrown out of a transaction: its content must be checked on a thread first. */
class Unchecked extends Error {
  constructor(readonly content: ElementalContent) {
    super('The content was not checked yet');
  }
}

/** Checks that put content can be rendered: small content on the calling thread, large content on the pool's. */
@Injectable()
export class RenderChecks implements OnApplicationShutdown {
  constructor(
    private readonly pool: RenderPool,
    private readonly journal: CallJournal,
  ) {}

  /** Ends the threads with the process; runs after all calls have been answered. */
  onApplicationShutdown() {
    return this.pool.close();
  }

  /**
   * Runs the work of a command that publishes content in a transaction, once per call. Large content is checked outside it: the
   * transaction is rolled back and the work retried after the check. Not a prepared command: most of this content is stored, so it is
   * known only under the template's lock. Errors name paths below `name`. `work` may add warnings to those of its checks, and answers
   * with them.
   */
  async whilePublishing<Answer>(
    context: CallContext,
    name: string,
    work: (tx: EntityManager, check: CheckPublished, warnings: string[]) => Promise<Answer>,
  ): Promise<Answer> {
    const passed = new Set<string>();
    const checkInto =
      (warnings: string[]): CheckPublished =>
      (content, { isOfBlocks }) => {
        if (!isOfBlocks) warnings.push(...publishedWarnings(content, name));
        if (contentCheckCost(content) <= INLINE_COMPILE_MAX) assertContentRenders(content, name);
        else if (!passed.has(digestOf(content))) throw new Unchecked(content);
      };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      try {
        return await this.journal.run(context, (tx) => {
          const warnings: string[] = [];
          return work(tx, checkInto(warnings), warnings);
        });
      } catch (error) {
        if (!(error instanceof Unchecked)) throw error;
        await this.assertContent(context, error.content, name);
        passed.add(digestOf(error.content));
      }
    }
    throw unavailable('The content changed repeatedly while it was checked; try again');
  }

  /** @throws ServiceError `invalid_request` for content that cannot be rendered, with paths below `name`. */
  async assertContent(context: CallContext, content: ElementalContent, name: string) {
    if (contentCheckCost(content) <= INLINE_COMPILE_MAX) assertContentRenders(content, name);
    else await this.pool.run(context.workspaceId, 'checkContent', { content, name }, endBy(context));
  }

  /** @throws ServiceError `invalid_request` for a brand that no message could be rendered in. */
  async assertBrand(context: CallContext, brand: CheckedBrand) {
    if (brandCheckCost(brand) <= INLINE_COMPILE_MAX) assertBrandRenders(brand);
    else await this.pool.run(context.workspaceId, 'checkBrand', brand, endBy(context));
  }

  /** @throws ServiceError `invalid_request` for a text that is not `.po`, naming the line. */
  async assertPo(context: CallContext, text: string) {
    const isLong = text.length > PO_INLINE_CHARS_MAX;
    const error = isLong ? await this.pool.run(context.workspaceId, 'poError', text, endBy(context)) : findPoError(text);
    if (error) throw invalid(`The translation is not a .po text: line ${error.line}: ${error.problem}`);
  }
}

const digestOf = (content: ElementalContent) => hash('sha256', JSON.stringify(content), 'base64');
