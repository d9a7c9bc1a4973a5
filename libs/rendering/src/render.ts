import { localeChain } from '@tidings/contracts/content/locale';
import { invalid } from '@tidings/contracts/core/refusals';
import { outputBlocks } from './channels/blocks-text';
import type { EmailOutput, Output, OutputBlock } from '@tidings/contracts/messaging/channel-outputs';
import { otherOutput } from './channels/other-output';
import { isBlank } from './blank';
import { type ChannelContent, chooseChannel } from './elemental/choose-channel';
import { compile, type Content } from './elemental/compile';
import { languageOf } from './elemental/locale';
import { type ResolvedContent, Resolver } from './elemental/resolve';
import { type BrandForRendering, brandParts, type BrandParts } from './email/brand';
import { type Frame, frameOf } from './email/frame';
import { assembleEmail } from './email/assemble-email';
import { renderRaw, renderRawEmail } from './raw';
import { assertLength, RenderBudget } from './render-budget';
import { BARE } from './rich-text/rich-text';
import { addMissing, type MissingVariables, type RenderScope, type Values, warn } from './scope';
import { addressesFor, type Utm } from './urls';

/** Content, recipient and channel of one rendering. */
export interface RenderInput {
  /** As `assertElemental` lets it pass, or `{title, body}`. */
  readonly content: Content;
  /** Cache key of immutable content, unique among all workspaces (workspace, template, version). */
  readonly contentKey?: string;
  /** `email`, `sms`, `push`, `direct_message`, `inbox`, `webhook`, … */
  readonly channel: string;
  /** `slack`, `msteams`, `discord`, `apn`, …: chooses the form of a direct message, and elements that name it. */
  readonly provider?: string;
  /** The recipient's locale: `fr_FR`. */
  readonly locale?: string;
  /** Values of variables. `brand` and `snippets` default to those of the brand. */
  readonly scope: Omit<RenderScope, 'item' | 'index' | 'refs' | 'warnings' | 'missing'>;
  readonly brand?: BrandForRendering | null;
  readonly utm?: Utm;
  /** A shown variable without a value is an error, not a warning. */
  readonly requiresVariables?: boolean;
}

/** The result of rendering a message for one channel. */
export interface Rendered {
  readonly output: Output;
  /** The content's `raw` object, filled in, to be merged into the provider body. Never for e-mail. */
  readonly raw?: Values;
  /** The title, for any channel; empty without one. */
  readonly title: string;
  /** The blocks of the message for its record. */
  readonly blocks: readonly OutputBlock[];
  /** The output shows nothing, see `isBlank`; absent otherwise. */
  readonly isBlank?: true;
  /** Warnings to the author that did not stop the rendering. */
  readonly warnings: readonly string[];
}

/**
 * Renders content for one channel. Undefined when the content has `channel` elements and none is for this channel.
 *
 * Throws only `ServiceError`: `invalid_request` for mistakes of the author or the data, starting with the element's path, and
 * `payload_too_large` for too many elements or a part above `RENDERED_CHARS_MAX`. With `requiresVariables` the error
 * `Variable not found: <path>` has no path of an element.
 */
export function render(input: RenderInput): Rendered | undefined {
  const { budget = new RenderBudget() } = input.scope;
  const chosen = chooseChannel(compile(input.content, input.contentKey, budget), input.channel, input.provider);
  if (!chosen) return undefined;
  const warnings: string[] = [];
  const missing: MissingVariables = { paths: [] };
  const brand = input.brand ? brandParts(input.brand) : null;
  const scope: RenderScope = Object.assign({}, input.scope, {
    budget,
    brand: input.scope.brand ?? brand?.variables,
    snippets: input.scope.snippets ?? brand?.snippets,
    warnings,
    missing,
  });
  const rendered = input.channel === 'email' ? renderEmailChannel(chosen, brand, scope, input) : renderOther(chosen, scope, input);
  if (missing.inTitle && showsTitle(rendered)) for (const path of missing.inTitle) addMissing(scope, path);
  const [first] = missing.paths;
  if (first !== undefined && input.requiresVariables) throw invalid(notFoundOf(first));
  for (const path of missing.paths) warn(scope, notFoundOf(path));
  return Object.assign(rendered, { warnings });
}

const notFoundOf = (path: string) => `Variable not found: ${path}`;

function renderEmailChannel(chosen: ChannelContent, brand: BrandParts | null, scope: RenderScope, input: RenderInput) {
  const { channel, utm, locale } = input;
  if (chosen.raw) {
    const email = renderRawEmail(chosen.raw, scope, utm);
    return { output: emailOutput(email), title: email.subject, blocks: [] };
  }
  const language = languageOf(locale);
  const frame = frameOf({ brand, direction: language.direction }, scope.budget);
  for (const { name } of frame.unknown) {
    warn(scope, `The MJML of the brand: MJML has no element <${name}>; it is left out with all that is in it`);
  }
  const content = resolveFor(chosen, scope, input, frame);
  const email = assembleEmail(content, scope, { frame, brand, language, utm, element: chosen.element });
  return finished(emailOutput(email), content, outputBlocks(content.blocks, addressesFor(channel, utm)));
}

function emailOutput(email: EmailOutput): Output {
  assertLength(email.html.length);
  assertLength(email.text.length);
  return { kind: 'email', email };
}

function renderOther(chosen: ChannelContent, scope: RenderScope, input: RenderInput) {
  const raw = chosen.raw && (renderRaw(chosen.raw, scope) as Values);
  const content = raw ? NO_CONTENT : resolveFor(chosen, scope, input, null);
  const blocks = outputBlocks(content.blocks, addressesFor(input.channel, input.utm));
  const output = otherOutput(input, { ...content, outputBlocks: blocks, raw }, scope);
  return raw ? { output, raw, title: '', blocks } : finished(output, content, blocks);
}

/** A text message has no title, a direct message shows it only where it has no body. */
function showsTitle({ output, title }: Pick<Rendered, 'output' | 'title'>) {
  return output.kind !== 'sms' && (output.kind !== 'direct_message' || output.directMessage.text === title);
}

const NO_CONTENT: ResolvedContent = { title: '', preheader: '', blocks: [] };

function finished(output: Output, content: ResolvedContent, blocks: readonly OutputBlock[]) {
  return { output, title: content.title, blocks, isBlank: isBlank(output, content) || undefined };
}

function resolveFor({ nodes }: ChannelContent, scope: RenderScope, input: RenderInput, frame: Frame | null) {
  const { channel, provider, locale } = input;
  return new Resolver({
    channel,
    provider,
    locales: localeChain(locale),
    styles: frame?.styles ?? BARE,
    showsHtml: frame !== null,
  }).content(nodes, scope);
}
