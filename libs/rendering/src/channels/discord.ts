import { breakBefore } from './slack';

/** Discord's limit per message. */
export const POST_CHARS_MAX = 2_000;
/** Maximum messages of one content. */
export const POSTS_MAX = 10;

/** A long text as several messages, broken between lines or words. The rest is cut and reported to `warn`. */
export function discordPosts(text: string, warn: (sentence: string) => void): string[] {
  const posts: string[] = [];
  let rest = text.trim();
  while (rest && posts.length < POSTS_MAX) {
    const end = rest.length <= POST_CHARS_MAX ? rest.length : breakBefore(rest, POST_CHARS_MAX);
    const post = rest.slice(0, end).trimEnd();
    if (post) posts.push(post);
    rest = rest.slice(end).trimStart();
  }
  if (rest) warn(`Discord is sent ${POSTS_MAX} posts of ${POST_CHARS_MAX} characters, ${rest.length} characters were left out`);
  return posts;
}
