import { CHANNELS } from '../core/channels';
import type { JsonObject } from '../core/deep-merge';
import { invalid, isGiven } from '../core/refusals';
import { isBlankText } from '../core/text';
import type { MessageRouting } from '../content/routing';
import type { MessageContent, MessageRequested } from './events';
import type { SimpleContent } from './send';

/** Fields of an override that make a message visible although its content is blank; other channels: `body`. */
const VISIBLE_FIELDS: Readonly<Record<string, readonly string[]>> = {
  email: ['subject', 'html', 'text', 'attachments', 'body'],
  push: ['title', 'body', 'data'],
};
const BODY = ['body'];
/** A provider may serve any channel. */
const FIELDS_OF_PROVIDERS = [...new Set(Object.values(VISIBLE_FIELDS).flat())];

/** Whether overrides have visible content for a channel, so that it is sent although its own content is blank. */
export function hasVisibleContent(channel: string, overrides: readonly JsonObject[]): boolean {
  return overrides.some((override) => hasAnyOf(override, VISIBLE_FIELDS[channel] ?? BODY));
}

/**
 * Refuses content without any text, which no channel can show, unless an override or the data of a push message are sent instead.
 * @param path the content's name in errors.
 * @throws ServiceError `invalid_request` naming the field.
 */
export function assertVisible(request: MessageRequested, path: string): void {
  const { content } = request;
  if (!content || !isEmpty(content) || hasVisibleOverride(request) || isDataPush(request)) return;
  if ('elements' in content) throw invalid(`${path}.elements must have one element at least (got an empty array)`);
  throw invalid(`${path} shows nothing: its title and its body are empty`);
}

function isEmpty(content: MessageContent) {
  const { title, body } = content as Partial<SimpleContent>;
  return isBlankText(title ?? '') && ('elements' in content ? content.elements.length === 0 : isBlankText(body ?? ''));
}

function hasVisibleOverride({ channels = {}, providers = {} }: MessageRequested) {
  return (
    Object.entries(channels).some(([channel, { override }]) => override && hasVisibleContent(channel, [override])) ||
    Object.values(providers).some(({ override }) => override && hasAnyOf(override, FIELDS_OF_PROVIDERS))
  );
}

function hasAnyOf(override: JsonObject, fields: readonly string[]) {
  return fields.some((field) => isGiven(override[field]) && override[field] !== '');
}

/** Whether it has data, and its routing may lead to push, where an app reads them. */
function isDataPush({ data, targets = [], routing }: MessageRequested) {
  const hasData = [data, ...targets.map((target) => target.data)].some((one) => one && Object.keys(one).length > 0);
  return hasData && (!routing || routing.channels.length === 0 || mayPush(routing));
}

/** Names beside those of channels are providers, of push perhaps. */
function mayPush({ channels }: MessageRouting): boolean {
  return channels.some((one) => {
    if (typeof one === 'object' && !('channel' in one)) return mayPush(one);
    const name = typeof one === 'string' ? one : one.channel;
    return name === 'push' || !(CHANNELS as readonly string[]).includes(name);
  });
}
