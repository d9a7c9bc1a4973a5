/**
 * Places in a frame that each mail fills in by itself: no value can write one, as its `<` and its quotes are escaped.
 */
export const SLOTS = {
  subject: '<!--tidings:subject-->',
  /** As MJML writes it, twice, where it is told nothing. */
  language: 'lang="und" dir="auto"',
  preheader: '<!--tidings:preheader-->',
  blocks: '<!--tidings:blocks-->',
} as const;
