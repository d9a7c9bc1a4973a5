import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { ElementalContent } from '@tidings/contracts/content/elemental';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError, unavailable } from '@tidings/contracts/core/errors';
import { CallJournal } from '@tidings/persistence/call-journal';
import type { Transaction } from '@tidings/persistence/database';
import { assertBrandRenders, brandCheckCost, type CheckedBrand } from '@tidings/rendering/checks/brand-check';
import { assertContentRenders, contentCheckCost } from '@tidings/rendering/checks/content-check';
import { INLINE_READING_MAX } from '@tidings/rendering/render-budget';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { findPoError } from '@tidings/rendering/translations/po-error';
import { endBy } from './end-by';

/** Refuses content that could not be rendered, named as in the request; `invalid_request`. */
type AssertRenders = (content: ElementalContent, name: string) => void;

/** How often content may change while it is read: each time somebody else put something large. */
const ROUNDS_MAX = 4;
/** Characters of a `.po` text that are read at once: some tens of milliseconds. */
const PO_INLINE_CHARS_MAX = 50_000;

/** Thrown out of a transaction by content that is first to be read elsewhere. */
class Unchecked extends Error {
  constructor(
    readonly content: ElementalContent,
    readonly contentName: string,
  ) {
    super('The content was not read yet');
  }
}

/** Reads what is put to the service as rendering will: what is small here, what may take long on a thread, within its limits. */
@Injectable()
export class RenderChecks {
  constructor(
    private readonly pool: RenderPool,
    private readonly calls: CallJournal,
  ) {}

  /**
   * Does the work of a command that publishes content, once per call, in a transaction. Large content is read between two
   * transactions, never within: the work is then begun anew.
   */
  async whilePublishing<Answer>(
    context: CallContext,
    work: (tx: Transaction, assertRenders: AssertRenders) => Promise<Answer>,
  ): Promise<Answer> {
    const passed = new Set<string>();
    const assertRenders: AssertRenders = (content, name) => {
      if (contentCheckCost(content) <= INLINE_READING_MAX) assertContentRenders(content, name);
      else if (!passed.has(digestOf(content))) throw new Unchecked(content, name);
    };
    for (let round = 0; round < ROUNDS_MAX; round += 1) {
      try {
        return await this.calls.once(context, (tx) => work(tx, assertRenders));
      } catch (error) {
        if (!(error instanceof Unchecked)) throw error;
        const input = { content: error.content, name: error.contentName };
        await this.pool.run(context.workspaceId, 'checkContent', input, endBy(context));
        passed.add(digestOf(error.content));
      }
    }
    throw unavailable('The content changed again and again while it was read; try again');
  }

  /** @throws ServiceError `invalid_request` for a brand that no message could be rendered in. */
  async assertBrand(context: CallContext, brand: CheckedBrand): Promise<void> {
    if (brandCheckCost(brand) <= INLINE_READING_MAX) assertBrandRenders(brand);
    else await this.pool.run(context.workspaceId, 'checkBrand', brand, endBy(context));
  }

  /** @throws ServiceError `invalid_request` for what is no `.po` text, naming the line. */
  async assertPo(context: CallContext, text: string): Promise<void> {
    const isLong = text.length > PO_INLINE_CHARS_MAX;
    const error = isLong ? await this.pool.run(context.workspaceId, 'poError', { text }, endBy(context)) : findPoError(text);
    if (error) throw new ServiceError('invalid_request', `The translation is not a .po text: line ${error.line}: ${error.problem}`);
  }
}

function digestOf(content: ElementalContent): string {
  return createHash('sha256').update(JSON.stringify(content)).digest('base64');
}
