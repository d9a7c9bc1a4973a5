import { createRequire } from 'node:module';
import { timeCompile } from '../compile-cache';

const load = createRequire(__filename);

type Juice = (html: string, options: { readonly removeStyleTags: boolean }) => string;
type Mjml = (
  source: string,
  options: Readonly<Record<string, unknown>>,
) => { html: string; errors: readonly { line?: number; message?: string; tagName?: string }[] };

/** Both packages take a third of a second and some megabytes, so they are loaded on first use. */
export function juice(...args: Parameters<Juice>): string {
  return timeCompile(() => load('juice') as Juice)(...args);
}

/** As `juice`. */
export function mjml(...args: Parameters<Mjml>): ReturnType<Mjml> {
  const loaded = timeCompile(() => load('mjml') as Mjml & { default?: Mjml });
  return (loaded.default ?? loaded)(...args);
}
