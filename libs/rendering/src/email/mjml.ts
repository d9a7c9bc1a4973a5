import { ServiceError } from '@tidings/contracts/core/errors';
import { ANY_MARK_SOURCE, TemplateMarks } from '../rich-text/template-marks';
import { mjml } from './lazy-packages';

const SOURCE_CHARS_MAX = 200_000;
/** `{{#each}}` and the like between MJML's own elements, where MJML would drop them. */
const BETWEEN_ELEMENTS = new RegExp(`(>\\s*|^\\s*)((?:${ANY_MARK_SOURCE}\\s*)+)(?=<(?:/?mj-|/?mjml)|$)`, 'gu');
const HOLDERS_OF_TEXT =
  /<mj-(?:text|button|table|raw|title|preview|style|navbar-link|social-element|accordion-title|accordion-text)\b[^>]*>\s*$/;

/**
 * MJML as HTML, once: variables and Handlebars stay in it and are filled in per mail. Nothing is read from files, whatever the
 * source includes. Throws `invalid_request` for what is no MJML.
 */
export function mjmlToHtml(source: string): string {
  if (source.length > SOURCE_CHARS_MAX) throw invalid(`MJML has more than ${SOURCE_CHARS_MAX} characters`);
  const marks = new TemplateMarks();
  const marked = marks
    .mark(source)
    .replace(BETWEEN_ELEMENTS, (whole: string, before: string, parts: string, offset: number, text: string) => {
      const isText = HOLDERS_OF_TEXT.test(text.slice(Math.max(0, offset - 500), offset + before.length));
      return isText ? whole : `${before}<mj-raw>${parts}</mj-raw>`;
    });
  return marks.restore(convert(marked));
}

function convert(source: string): string {
  let result: ReturnType<typeof mjml>;
  try {
    result = mjml(source, { ignoreIncludes: true, validationLevel: 'soft', keepComments: true, minify: false, beautify: false, fonts: {} });
  } catch (error) {
    throw invalid(`The MJML cannot be read: ${error instanceof Error ? error.message.split('\n', 1)[0] : String(error)}`);
  }
  return result.html;
}

function invalid(message: string): ServiceError {
  return new ServiceError('invalid_request', message);
}
