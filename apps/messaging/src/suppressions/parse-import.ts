import { invalid, invalidValue, shown } from '@tidings/contracts/core/refusals';
import {
  ADDRESS_RULES,
  isSuppressionChannel,
  SUPPRESSION_CHANNELS,
  type SuppressionChannel,
  suppressionAddress,
} from '@tidings/contracts/messaging/suppression-address';
import { SUPPRESSION_REASONS, type SuppressionReason } from '@tidings/contracts/messaging/suppression-reasons';
import { IMPORT_ERRORS_MAX, IMPORT_LINES_MAX, type ImportError } from '@tidings/contracts/messaging/suppressions';
import { EventLoopYielder } from '@tidings/runtime/event-loop-yielder';

/** One valid line of an import. */
interface ImportLine {
  readonly channel: SuppressionChannel;
  /** In its one spelling. */
  readonly address: string;
  readonly reason: SuppressionReason;
  /** `null`: now. */
  readonly createdAt: Date | null;
}

const REQUIRED = ['channel', 'address'];
/** A field of a line: quoted, with doubled quotes in it, or without quotes. What follows is a comma or the end. */
const FIELD = /(?:"([^"]*(?:""[^"]*)*)"|([^",]*))(,|$)/y;
const LINE_LENGTH_MAX = 8_192;
const NO_FIELDS = `The line has a quote that is not closed or stands within a field, or more than ${LINE_LENGTH_MAX} characters`;
/** A date, or a time with its offset: a time without one means different instants. */
const INSTANT = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2}))?$/;

/**
 * Reads a CSV text, each line on its own: an open quote never takes later lines along. Empty lines are passed over.
 * @throws ServiceError `invalid_request` for a header without the required columns, and for too many lines.
 */
export async function parseImport(csv: string): Promise<{ lines: ImportLine[]; failed: number; errors: ImportError[] }> {
  const [header = '', ...texts] = csv.replace(/^\ufeff/, '').split(/\r\n|\n|\r/);
  const columns = (fieldsOf(header) ?? []).map((name) => name.trim().toLowerCase());
  const missing = REQUIRED.find((name) => !columns.includes(name));
  if (missing !== undefined) throw invalid(`The first line must name the columns channel and address (got ${shown(header)})`);
  const filled = [...texts.entries()].filter(([, text]) => text.trim() !== '');
  if (filled.length > IMPORT_LINES_MAX) {
    throw invalid(`The text has ${filled.length} lines of addresses, at most ${IMPORT_LINES_MAX} are allowed: import it in parts`);
  }
  const yielder = new EventLoopYielder();
  const lines: ImportLine[] = [];
  const errors: ImportError[] = [];
  let failed = 0;
  for (const [index, text] of filled) {
    const found = lineOf(columns, text);
    if ('field' in found) {
      failed += 1;
      if (errors.length < IMPORT_ERRORS_MAX) errors.push({ line: index + 2, ...found });
    } else lines.push(found);
    await yielder.yieldIfDue();
  }
  return { lines, failed, errors };
}

/** The fields of a line; undefined where it is too long, or a quote is not closed or stands within a field. */
function fieldsOf(line: string): string[] | undefined {
  if (line.length > LINE_LENGTH_MAX) return undefined;
  const fields: string[] = [];
  for (FIELD.lastIndex = 0; ;) {
    const [, quoted, plain = '', end] = FIELD.exec(line) ?? [];
    if (end === undefined) return undefined;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '') return fields;
  }
}

/** What a line says, or its first error. */
function lineOf(columns: readonly string[], text: string): ImportLine | Omit<ImportError, 'line'> {
  const fields = fieldsOf(text);
  if (!fields) return { field: 'line', error: NO_FIELDS };
  if (fields.length > columns.length) return { field: 'line', error: `The line has ${fields.length} fields, its header ${columns.length}` };
  const valueOf = (name: string) => fields[columns.indexOf(name)]?.trim() ?? '';
  const [channel, given, reason, created] = [valueOf('channel'), valueOf('address'), valueOf('reason'), valueOf('created')];
  if (!isSuppressionChannel(channel)) return wrong('channel', `one of ${SUPPRESSION_CHANNELS.join(', ')}`, channel);
  const address = suppressionAddress(channel, given);
  if (address === undefined) return wrong('address', ADDRESS_RULES[channel], given);
  const named = SUPPRESSION_REASONS.find((one) => one === (reason || 'manual'));
  if (!named) return wrong('reason', `one of ${SUPPRESSION_REASONS.join(', ')}`, reason);
  const createdAt = created === '' ? null : new Date(INSTANT.test(created) ? created : Number.NaN);
  if (createdAt && Number.isNaN(createdAt.getTime())) return wrong('created', 'a date or a time with its offset in ISO 8601', created);
  return { channel, address, reason: named, createdAt };
}

function wrong(field: string, expected: string, value: string) {
  return { field, error: invalidValue(field, expected, value).message };
}
