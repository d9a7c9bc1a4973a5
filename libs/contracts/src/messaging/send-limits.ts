export const EVENT_LENGTH_MAX = 256;
/** Longer texts match no template. */
export const TEMPLATE_NAME_LENGTH_MAX = 256;
export const BRAND_NAME_LENGTH_MAX = 256;
