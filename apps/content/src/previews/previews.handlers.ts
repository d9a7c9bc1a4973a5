import {
  type Preview,
  type PreviewBrand,
  type PreviewContent,
  type PreviewError,
  type PreviewOutput,
  previews,
} from '@tidings/contracts/content/previews';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { assertStorable } from '@tidings/contracts/core/text';
import { messageInput, type MessageParts } from '@tidings/rendering/message-input';
import { outputContent } from '@tidings/rendering/output-content';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { Handles } from '@tidings/rpc/handles';
import { SendingTranslationsHandlers } from '../translations/sending-translations.handlers';
import { endBy } from '../rendering/end-by';
import { payloadOf, rawWarnings } from './preview-payload';
import { type PreviewTarget, placesOf } from './preview-target';
import { assertProviderOf } from './preview-providers';
import { PreviewLimiter } from './preview-limiter';
import { PreviewedBrands } from './previewed-brand';
import { PreviewedContents } from './previewed-content';

/** Bytes of JSON of one answer; what comes after is left to questions of its own. */
const PREVIEW_BYTES_MAX = 4 * 1024 * 1024;

/** What a place got: an output, an error, or nothing where the content says nothing there. */
type Outcome = { readonly output: PreviewOutput } | { readonly error: PreviewError } | undefined;

@Handles(previews)
export class PreviewsHandlers {
  constructor(
    private readonly contents: PreviewedContents,
    private readonly brands: PreviewedBrands,
    private readonly translations: SendingTranslationsHandlers,
    private readonly turns: PreviewLimiter,
    private readonly pool: RenderPool,
  ) {}

  /** Always on other threads, within their limits: what is asked for here was not tried before. */
  async render(context: CallContext, request: PreviewContent): Promise<Preview> {
    const { template, version, content, channel, provider, locale, brand_id, brand, tenant_id, data, profile, ...rest } = request;
    rest satisfies Record<string, never>;
    assertStorable(request, '');
    if (provider && !channel) throw new ServiceError('invalid_request', 'provider needs channel: the channel it is a provider of');
    if (provider && channel) assertProviderOf(channel, provider);
    const { workspaceId } = context;
    const said = await this.contents.of(workspaceId, { template, version, content, tenant_id });
    const recipient = { ...profile, ...(locale && { locale }) };
    const [shownIn, catalogues] = await Promise.all([
      this.brands.of(context, { brand, brand_id }, said.brandId),
      this.cataloguesOf(context, recipient.locale),
    ]);
    const parts: Omit<MessageParts, 'channel' | 'provider'> = {
      workspaceId,
      content: said.content,
      brand: shownIn.brand,
      brandIsStored: shownIn.isStored,
      catalogues,
      data: data ?? {},
      profile: recipient,
      builtIns: {
        messageId: '',
        event: template ?? '',
        recipient: '',
        template: said.templateId,
        topicId: said.topicId,
        mode: context.mode,
        scope: said.isDraft ? 'draft' : 'published',
        nowMs: Date.now(),
      },
    };
    const places: PreviewTarget[] = channel ? [{ channel, ...(provider && { provider }) }] : placesOf(said.content);
    const [rendered, ofBrand] = await this.turns.run(workspaceId, () =>
      allOf([
        allOf(places.map((place) => this.renderFor(context, place, parts))),
        brand ? this.warningsOf(context, brand) : shownIn.warnings,
      ]),
    );
    const outcomes = rendered.map((outcome) => withWarnings(outcome, ofBrand));
    const unsaid = channel && !outcomes[0] ? [errorOf(places[0]!, `The content has nothing to say by ${provider ?? channel}`)] : [];
    return { ...answerOf(outcomes), ...(unsaid.length > 0 && { errors: unsaid }), ...(said.version && { version: said.version }) };
  }

  private async cataloguesOf(context: CallContext, locale: unknown): Promise<string[]> {
    const asked = { workspace_id: context.workspaceId, ...(typeof locale === 'string' && { locale }) };
    const { translations } = await this.translations.load(context, { translations: [asked] });
    return (translations[0]?.catalogues ?? []).map(({ po }) => po);
  }

  /** What would keep a brand from being put. What is left open in it hides the rest of a mail, and says nothing. */
  private async warningsOf(context: CallContext, { name, settings, snippets }: PreviewBrand): Promise<string[]> {
    try {
      const options = { ...endBy(context), yields: true };
      await this.pool.run(context.workspaceId, 'checkBrand', { name: name ?? '', settings, snippets }, options);
      return [];
    } catch (error) {
      if (isOfTheContent(error)) return [`The brand would be refused: ${error.message}`];
      if (error instanceof ServiceError) return [`Whether the brand would be refused could not be seen now: ${error.message}`];
      throw error;
    }
  }

  private async renderFor(context: CallContext, place: PreviewTarget, parts: Omit<MessageParts, 'channel' | 'provider'>): Promise<Outcome> {
    try {
      const rendered = await this.pool.run(parts.workspaceId, 'render', messageInput({ ...parts, ...place }), {
        ...endBy(context),
        yields: true,
      });
      if (!rendered) return undefined;
      const named = { channel: place.channel, channel_id: place.provider ?? place.channel };
      const payload = payloadOf(rendered);
      const warnings = [...rendered.warnings, ...rawWarnings(rendered)];
      return { output: { ...named, content: outputContent(rendered), ...(payload && { payload }), warnings } };
    } catch (error) {
      if (isOfTheContent(error)) return { error: errorOf(place, error.message) };
      throw error;
    }
  }
}

/** As `Promise.all`, but it ends when the last one does: what still runs counts. */
async function allOf<Jobs extends readonly unknown[] | []>(jobs: Jobs): Promise<{ -readonly [Index in keyof Jobs]: Awaited<Jobs[Index]> }> {
  await Promise.allSettled(jobs);
  return Promise.all(jobs);
}

/** Errors that say something of what was to be rendered; others are the call's. */
const OF_THE_CONTENT = new Set<string>(['invalid_request', 'payload_too_large']);

function isOfTheContent(error: unknown): error is ServiceError {
  return error instanceof ServiceError && OF_THE_CONTENT.has(error.code);
}

/** An output with `warnings` before its own. */
function withWarnings(outcome: Outcome, warnings: readonly string[]): Outcome {
  if (!outcome || 'error' in outcome) return outcome;
  return { output: { ...outcome.output, warnings: [...warnings, ...outcome.output.warnings] } };
}

function errorOf({ channel, provider }: PreviewTarget, message: string): PreviewError {
  return { channel, channel_id: provider ?? channel, message };
}

function answerOf(outcomes: readonly Outcome[]): Pick<Preview, 'results' | 'errors'> {
  const results: PreviewOutput[] = [];
  const errors: PreviewError[] = [];
  let bytes = 0;
  for (const outcome of outcomes) {
    if (!outcome) continue;
    if ('error' in outcome) {
      errors.push(outcome.error);
      continue;
    }
    const { output } = outcome;
    bytes += Buffer.byteLength(JSON.stringify(output));
    if (bytes <= PREVIEW_BYTES_MAX || results.length === 0) results.push(output);
    else
      errors.push({
        channel: output.channel,
        channel_id: output.channel_id,
        message: 'The answer would be too long: ask for this channel by itself',
      });
  }
  return { results, errors };
}
