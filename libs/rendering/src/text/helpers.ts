import type { Helper } from './helper';
import { dataHelpers } from './helpers-data';
import { dateHelpers } from './helpers-dates';
import { logicHelpers } from './helpers-logic';
import { mathHelpers } from './helpers-math';
import { stringHelpers } from './helpers-strings';
import { translationHelpers } from './helpers-translation';

/** All helpers. Templates cannot add any; helpers access only their arguments and the rendering's scope. */
export const helpers: ReadonlyMap<string, Helper> = new Map(
  [logicHelpers, dataHelpers, stringHelpers, mathHelpers, dateHelpers, translationHelpers].flatMap((group) => Object.entries(group)),
);
