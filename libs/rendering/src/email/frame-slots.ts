/** Slots of a frame that each mail fills in. No value can produce one, since its `<` and quotes are escaped. */
export const SLOTS = {
  subject: '<!--tidings:subject-->',
  /** MJML's default attributes, which it writes twice. */
  language: 'lang="und" dir="auto"',
  preheader: '<!--tidings:preheader-->',
  blocks: '<!--tidings:blocks-->',
} as const;
