import { isJsonObject } from '@tidings/contracts/core/deep-merge';
import type { ServiceError } from '@tidings/contracts/core/errors';
import { invalid, shown } from '@tidings/contracts/core/refusals';
import { assertStorable } from '@tidings/contracts/core/text';
import type { SettingField } from './provider-kind';

/** Default maximum length of a setting. */
const SETTING_LENGTH_MAX = 1_024;
const NAME_LENGTH_SHOWN_MAX = 100;
/** Settings of every kind; the store of configurations reads and removes them before the kind parses the rest. */
const SETTINGS_OF_ALL = ['rate_limit'];

type ValueOf<Field extends SettingField> = Field['type'] extends 'number' ? number : Field['type'] extends 'boolean' ? boolean : string;

/** Settings by the fields that describe them. */
type SettingValues<Fields extends Readonly<Record<string, SettingField>>> = {
  readonly [Name in keyof Fields]: Fields[Name]['required'] extends true ? ValueOf<Fields[Name]> : ValueOf<Fields[Name]> | undefined;
};

/**
 * Reads settings by their fields. `null` counts as absent. An unknown setting is refused: a misspelled one would have no effect,
 * and a secret under a wrong name would be stored unsealed.
 * @throws ServiceError `invalid_request` naming the setting, never quoting a secret.
 */
export function readSettings<Fields extends Readonly<Record<string, SettingField>>>(fields: Fields, given: unknown): SettingValues<Fields> {
  if (!isJsonObject(given)) throw invalid('settings must be an object');
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(fields, name)) {
      const names = [...Object.keys(fields), ...SETTINGS_OF_ALL].join(', ');
      throw invalid(`settings has no field ${JSON.stringify(name.slice(0, NAME_LENGTH_SHOWN_MAX))}; known: ${names}`);
    }
  }
  const values = Object.entries(fields).flatMap(([name, field]) => {
    const value = given[name] ?? undefined;
    if (value === undefined && field.required) throw refuse(name, 'is required');
    return value === undefined ? [] : [[name, readValue(name, field, value)] as const];
  });
  return Object.fromEntries(values) as SettingValues<Fields>;
}

/** The error of a setting that a kind refuses. */
export function refuse(name: string, what: string): ServiceError {
  return invalid(`settings.${name} ${what}`);
}

function readValue(name: string, field: SettingField, value: unknown) {
  const got = field.secret ? '' : `, got ${shown(value)}`;
  switch (field.type) {
    case 'boolean':
      if (typeof value !== 'boolean') throw refuse(name, `must be true or false${got}`);
      return value;
    case 'number': {
      const { min = 0, max = Number.MAX_SAFE_INTEGER } = field;
      const fits = typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max;
      if (!fits) throw refuse(name, `must be a whole number from ${min} to ${max}${got}`);
      return value;
    }
    case 'enum': {
      const values = field.values ?? [];
      if (typeof value !== 'string' || !values.includes(value)) throw refuse(name, `must be one of ${values.join(', ')}${got}`);
      return value;
    }
    case 'string': {
      const { lengthMin = 1, lengthMax = SETTING_LENGTH_MAX } = field;
      if (typeof value !== 'string' || value.length < lengthMin || value.length > lengthMax)
        throw refuse(name, `must be a text of ${lengthMin} to ${lengthMax} characters${got}`);
      assertStorable(value, `settings.${name}`);
      return value;
    }
  }
}
