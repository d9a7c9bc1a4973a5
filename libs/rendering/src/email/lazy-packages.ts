type Juice = (html: string, options: { readonly removeStyleTags: boolean }) => string;
type Mjml = (
  source: string,
  options: Readonly<Record<string, unknown>>,
) => { html: string; errors: readonly { line?: number; message?: string; tagName?: string }[] };

/** Both packages take a third of a second and some megabytes, so they are loaded on first use. */
export const juice = (): Juice => require('juice') as Juice;

/** As `juice`. */
export function mjml(): Mjml {
  const loaded = require('mjml') as Mjml & { default?: Mjml };
  return loaded.default ?? loaded;
}
