/**
 * Places in a frame that each mail fills in by itself. They are comments: no value can write one, as its `<` is
 * escaped.
 */
export const SLOTS = {
  subject: '<!--tidings:subject-->',
  preheader: '<!--tidings:preheader-->',
  blocks: '<!--tidings:blocks-->',
} as const;
