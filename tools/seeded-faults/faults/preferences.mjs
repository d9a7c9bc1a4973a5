export default [
  {
    id: 'preferences-required-can-be-refused',
    category: 'validation',
    breaks: 'A required message, such as a security notice, does not reach users who opted out.',
    file: 'libs/preferences/src/evaluate.ts',
    find: "  if (!required) {\n    if (statusFrom?.status === 'OPTED_OUT')",
    replace: "  if (!required || statusFrom?.source === 'user') {\n    if (statusFrom?.status === 'OPTED_OUT')",
    suites: ['libs/preferences/src/evaluate'],
  },
  {
    id: 'preferences-snooze-does-not-end',
    category: 'deadlines',
    breaks: 'A message at the exact end of a snooze is dropped.',
    file: 'libs/preferences/src/snooze.ts',
    find: 'now >= until',
    replace: 'now > until',
    suites: ['libs/preferences/src/evaluate'],
  },
  {
    id: 'preferences-empty-choice-silences',
    category: 'validation',
    breaks: 'An empty list of channels in a send, which means no choice, excludes all channels.',
    file: 'libs/preferences/src/layers.ts',
    find: 'Array.isArray(chosen) && chosen.length > 0 ?',
    replace: 'Array.isArray(chosen) ?',
    suites: ['libs/preferences/src/evaluate'],
  },
];
