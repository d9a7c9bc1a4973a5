import { type RenderScope, warn } from '../scope';
import { splitText } from './split-text';

/** Discord's limit per message. */
export const POST_CHARS_MAX = 2_000;
/** Maximum messages of one content. */
export const POSTS_MAX = 10;

/** A long text as several messages, broken between lines or words. The rest is cut with a warning. */
export function discordPosts(text: string, scope: RenderScope): string[] {
  const { pieces, rest } = splitText(text.trim(), POST_CHARS_MAX, POSTS_MAX);
  if (rest) warn(scope, `Discord is sent ${POSTS_MAX} posts of ${POST_CHARS_MAX} characters, ${rest.length} characters were left out`);
  return pieces;
}
