/** Texts of the comparison of two messages. */
export const compare = {
  open: 'Compare',
  title: (id: string): string => `Compare ${id}`,
  other: 'With message',
  offered: 'Offered is the last message of the template that arrived. Enter the id of another one.',
  none: 'No message to compare with',
  noneHint: 'No other message of its template has arrived. Enter the id of one above.',
  same: 'the same',
  differs: (lines: number): string => (lines === 1 ? '1 line differs' : `${lines} lines differ`),
  left: 'This message',
  right: 'The other one',
  parts: { record: 'Record', profile: 'Profile', data: 'Data', decisions: 'Decisions', output: 'Output' },
} as const;
