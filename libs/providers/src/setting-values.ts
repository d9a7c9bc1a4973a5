import { isJsonObject, type JsonObject } from '@tidings/contracts/core/deep-merge';
import { type UnknownField, unknownFieldSentences } from '@tidings/contracts/core/known-fields';
import { invalid, shown } from '@tidings/contracts/core/refusals';
import { isStorableText, keyPath, mustNotContain } from '@tidings/contracts/core/text';
import type { SettingField, SettingFields } from './provider-kind';

/** Default maximum length of a setting. */
const SETTING_LENGTH_MAX = 1_024;
/** How many unknown settings an error names. */
const UNKNOWN_SHOWN_MAX = 3;
/** Settings of every kind; the store of configurations reads and removes them before the kind parses the rest. */
const SETTINGS_OF_ALL = ['rate_limit'];

type ValueOf<Field extends SettingField> = Field extends { readonly fields: infer Fields extends SettingFields }
  ? SettingValues<Fields>
  : Field['type'] extends 'number'
    ? number
    : Field['type'] extends 'boolean'
      ? boolean
      : string;

/** Settings by the fields that describe them. */
export type SettingValues<Fields extends SettingFields> = {
  readonly [Name in keyof Fields]: Fields[Name]['required'] extends true ? ValueOf<Fields[Name]> : ValueOf<Fields[Name]> | undefined;
};

/** The problem of a setting: its name (`dkim.selector` in an object), and what is wrong, as in `must be …`. */
export type SettingProblem = readonly [name: string, what: string];

/**
 * Reads settings by their fields. `null` counts as absent. An unknown setting is refused: a misspelled one would have no effect,
 * and a secret under a wrong name would be stored unsealed.
 * @param check the problems of a kind's own rules. It gets the settings that are valid so far; a problem of another one is dropped.
 * @throws ServiceError `invalid_request` naming every wrong setting once, and the missing ones, never quoting a secret.
 */
export function readSettings<Fields extends SettingFields>(
  fields: Fields,
  given: unknown,
  check: (values: Partial<SettingValues<Fields>>) => readonly (SettingProblem | false | undefined)[] = () => [],
): SettingValues<Fields> {
  if (!isJsonObject(given)) throw invalid('settings must be an object');
  const unknown: UnknownField[] = [];
  const problems = new Map<string, string>();
  const values = validValues(fields, given, { unknown, problems, prefix: '' });
  for (const problem of check(values as Partial<SettingValues<Fields>>)) {
    if (problem && !problems.has(problem[0])) problems.set(...(problem as [string, string]));
  }
  const sentences = [
    ...unknownFieldSentences(unknown.slice(0, UNKNOWN_SHOWN_MAX)),
    ...[...problems].map(([name, what]) => `settings.${name} ${what}`),
  ];
  if (sentences.length > 0) throw invalid(sentences.join('; '));
  return values as SettingValues<Fields>;
}

/** What is wrong with settings. `prefix` is that of the names of an object's settings. */
interface Findings {
  readonly unknown: UnknownField[];
  readonly problems: Map<string, string>;
  readonly prefix: string;
}

function validValues(fields: SettingFields, given: JsonObject, findings: Findings) {
  const { unknown, problems, prefix } = findings;
  const possible = [...Object.keys(fields), ...(prefix === '' ? SETTINGS_OF_ALL : [])];
  const path = `settings.${prefix}`.slice(0, -1);
  for (const name of Object.keys(given)) if (!Object.hasOwn(fields, name)) unknown.push({ path: keyPath(path, name), name, possible });
  const values: JsonObject = {};
  for (const [name, field] of Object.entries(fields)) {
    const value = given[name] ?? undefined;
    const what = value === undefined ? field.required && 'is required' : problemOf(field, value);
    if (what) problems.set(`${prefix}${name}`, what);
    else if (value !== undefined)
      values[name] = field.fields ? validValues(field.fields, value as JsonObject, { ...findings, prefix: `${name}.` }) : value;
  }
  return values;
}

/** What is wrong with a value of the field; undefined if nothing is. */
function problemOf(field: SettingField, value: unknown): string | undefined {
  const got = field.secret || field.fields ? '' : `, got ${shown(value)}`;
  switch (field.type) {
    case 'object':
      return isJsonObject(value) ? undefined : `must be an object${got}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `must be true or false${got}`;
    case 'number': {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = field;
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
      return fits ? undefined : `must be a whole number from ${min} to ${max}${got}`;
    }
    case 'enum': {
      const values = field.values ?? [];
      return typeof value === 'string' && values.includes(value) ? undefined : `must be one of ${values.join(', ')}${got}`;
    }
    case 'string': {
      const { lengthMin = 1, lengthMax = SETTING_LENGTH_MAX } = field;
      if (typeof value !== 'string' || value.length < lengthMin || value.length > lengthMax)
        return `must be a text of ${lengthMin} to ${lengthMax} characters${got}`;
      return isStorableText(value) ? undefined : mustNotContain(value);
    }
  }
}
