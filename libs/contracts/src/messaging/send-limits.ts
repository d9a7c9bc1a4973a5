import { OptionalTextOf } from '../core/fields';

export const EVENT_LENGTH_MAX = 256;
/** The name of a template; longer texts match none. */
export const OptionalTemplateName = OptionalTextOf(1, 256);
export const OptionalBrandName = OptionalTextOf(1, 256);
