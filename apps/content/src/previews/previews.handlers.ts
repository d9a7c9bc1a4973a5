import {
  type PreviewBrand,
  type PreviewChannel,
  type PreviewContent,
  type PreviewError,
  type PreviewOutput,
  previews,
} from '@tidings/contracts/content/previews';
import type { CallContext } from '@tidings/contracts/core/context';
import { ServiceError } from '@tidings/contracts/core/errors';
import { invalid } from '@tidings/contracts/core/refusals';
import { EXAMPLE_URLS, messageInput, type MessageParts } from '@tidings/rendering/message-input';
import { outputContent } from '@tidings/rendering/output-content';
import { RenderPool } from '@tidings/rendering/pool/render-pool';
import { Handles } from '@tidings/rpc/handles';
import { allSettled } from '@tidings/runtime/all-settled';
import { SendingBrandsHandlers } from '../brands/sending-brands.handlers';
import { SendingTranslationsHandlers } from '../translations/sending-translations.handlers';
import { jsonBytes } from '../json-bytes';
import { endBy } from '../rendering/render-checks';
import { payloadOf, rawWarnings } from './preview-payload';
import { type PreviewTarget, targetsOf } from './preview-target';
import { PreviewLimiter } from './preview-limiter';
import { previewedBrand } from './previewed-brand';
import { PreviewedContents } from './previewed-content';
import { providersOn, VENDORS_ON } from '@tidings/contracts/messaging/provider-names';

/** Bytes of JSON of one answer; channels beyond it are reported as errors. */
const PREVIEW_BYTES_MAX = 4 * 1024 * 1024;

/** What the targets of a preview have in common. */
type CommonParts = Omit<MessageParts, 'channel' | 'provider'>;

/** The outcome of a target; `undefined` where the content has nothing for it. */
type Outcome = PreviewOutput | PreviewError | undefined;

@Handles(previews)
export class PreviewsHandlers {
  constructor(
    private readonly contents: PreviewedContents,
    private readonly brands: SendingBrandsHandlers,
    private readonly translations: SendingTranslationsHandlers,
    private readonly limiter: PreviewLimiter,
    private readonly pool: RenderPool,
  ) {}

  /** Renders on the pool's threads only, within their limits: the content is untested. */
  async render(context: CallContext, request: PreviewContent) {
    const { template, channel, provider, locale, brand, data, profile } = request;
    if (provider && !channel) throw invalid('provider needs channel: the channel it is a provider of');
    if (provider && channel) assertProviderOf(channel, provider);
    const { workspaceId } = context;
    const previewed = await this.contents.of(workspaceId, request);
    const recipient = { ...profile, ...(locale && { locale }) };
    const [{ warnings: ofBrand, ...shown }, catalogues] = await Promise.all([
      previewedBrand(this.brands, context, request, previewed.brandId),
      this.cataloguesOf(context, recipient.locale),
    ]);
    const parts: CommonParts = {
      workspaceId,
      content: previewed.content,
      ...shown,
      catalogues,
      data: data ?? {},
      profile: recipient,
      requiresVariables: previewed.throwOnMissingVariable,
      builtIns: {
        messageId: '',
        event: template ?? '',
        recipient: '',
        template: previewed.templateId,
        topicId: previewed.topicId,
        mode: context.mode,
        scope: previewed.isDraft ? 'draft' : 'published',
        nowMs: Date.now(),
        urls: EXAMPLE_URLS,
      },
    };
    const targets: PreviewTarget[] = channel ? [{ channel, provider: provider ?? undefined }] : targetsOf(previewed.content);
    // Running jobs stay counted when one has failed.
    const [rendered, brandWarnings] = await this.limiter.run(workspaceId, () =>
      allSettled([
        allSettled(targets.map((target) => this.renderFor(context, target, parts))),
        brand ? this.warningsOf(context, brand) : ofBrand,
      ]),
    );
    const nothing = channel ? errorOf(targets[0]!, `The content is empty for ${provider ?? channel}`) : undefined;
    const outcomes = rendered.map((outcome) => outcome ?? nothing);
    return { ...answerOf(outcomes, [...(previewed.warnings ?? []), ...brandWarnings]), version: previewed.version };
  }

  private async cataloguesOf(context: CallContext, locale: unknown) {
    const key = { workspace_id: context.workspaceId, ...(typeof locale === 'string' && { locale }) };
    const { translations } = await this.translations.load(context, { translations: [key] });
    return (translations[0]?.catalogues ?? []).map(({ po }) => po);
  }

  /** Why putting the brand would be refused. Markup left open, for example, hides the rest of a mail without an error. */
  private async warningsOf(context: CallContext, { name, settings, snippets }: PreviewBrand) {
    try {
      const options = { ...endBy(context), yields: true };
      await this.pool.run(context.workspaceId, 'checkBrand', { name: name ?? '', settings, snippets }, options);
      return [];
    } catch (error) {
      if (isContentError(error)) return [`The brand would be refused: ${error.message}`];
      if (error instanceof ServiceError) return [`The brand could not be checked now: ${error.message}`];
      throw error;
    }
  }

  private async renderFor(context: CallContext, target: PreviewTarget, parts: CommonParts): Promise<Outcome> {
    try {
      const options = { ...endBy(context), yields: true };
      const rendered = await this.pool.run(parts.workspaceId, 'render', messageInput({ ...parts, ...target }), options);
      if (!rendered) return undefined;
      const warnings = [...rendered.warnings, ...rawWarnings(rendered)];
      return { ...namesOf(target), content: outputContent(rendered), payload: payloadOf(rendered), warnings };
    } catch (error) {
      if (isContentError(error)) return errorOf(target, error.message);
      throw error;
    }
  }
}

/** Errors of the content to be rendered; others are errors of the call. */
function isContentError(error: unknown): error is ServiceError {
  return error instanceof ServiceError && (error.code === 'invalid_request' || error.code === 'payload_too_large');
}

const namesOf = ({ channel, provider }: PreviewTarget) => ({ channel, channel_id: provider ?? channel });
const errorOf = (target: PreviewTarget, message: string) => ({ ...namesOf(target), message });

/** The outputs, with the warnings common to all before their own, and the errors. */
function answerOf(outcomes: readonly Outcome[], common: readonly string[]) {
  const results: PreviewOutput[] = [];
  const errors: PreviewError[] = [];
  let bytes = 0;
  for (const outcome of outcomes) {
    if (!outcome) continue;
    if ('message' in outcome) {
      errors.push(outcome);
      continue;
    }
    const output = { ...outcome, warnings: [...common, ...outcome.warnings] };
    const { channel, channel_id } = output;
    bytes += jsonBytes([output]);
    if (bytes <= PREVIEW_BYTES_MAX || results.length === 0) results.push(output);
    else errors.push({ channel, channel_id, message: 'The answer would be too long: request this channel separately' });
  }
  return { results, errors };
}

/** @throws ServiceError `invalid_request` for a provider that does not serve the channel. */
function assertProviderOf(channel: PreviewChannel, provider: string) {
  const allowed: readonly string[] = [...providersOn(channel), ...VENDORS_ON[channel]];
  if (allowed.includes(provider) || provider === channel) return;
  const choice = allowed.length > 0 ? `one of ${allowed.join(', ')}` : `left out, as ${channel} has none`;
  throw invalid(`provider must be ${choice} where channel is ${channel} (got ${JSON.stringify(provider)})`);
}
