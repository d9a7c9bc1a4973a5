import { count } from '../format';

/** Texts of the screens of translations. */
export const translations = {
  columns: { locale: 'Language', domain: 'Domain', size: 'Size', changed: 'Changed' },
  bytes: (bytes: number): string => (bytes < 1_024 ? `${count(bytes)} B` : `${count(Math.ceil(bytes / 1_024))} KB`),
  none: 'No translations',
  noneHint: 'Texts of templates by language, as a gettext catalogue. Put one so, or begin one below:',
  add: 'New language',
  locale: 'Language, as fr_FR',
  open: 'Open',
  facts: { domain: 'Domain', size: 'Size', created: 'Created', changed: 'Changed' },
  isNew: 'There are no translations into this language yet. They are created when you save.',
  text: 'Catalogue',
  field: 'Text of the .po file',
  save: 'Save',
  all: 'All translations',
  missing: 'Missing translations',
  compare: 'Compared with',
  noOther: 'There is no other language to compare with.',
  missingColumns: { id: 'Text', context: 'Context', state: 'State', other: 'In the other language' },
  states: { absent: 'no entry', empty: 'not translated', fuzzy: 'to be reviewed (fuzzy): not used' },
  complete: 'Every text of the other language is translated.',
  addMissing: 'Add empty entries',
  more: (hidden: number): string => `${count(hidden)} more are not shown.`,
} as const;
