import { count } from '../format';

/** Texts of the screens of dead letters. */
export const deadLetters = {
  operators: 'Dead letters are for operators',
  operatorsHint:
    'A record may be of any workspace. Sign out, and sign in with an operator’s key (TIDINGS_ADMIN_KEY, or one of TIDINGS_ADMIN_KEYS); or in the shell:',
  columns: { id: 'Dead letter', topic: 'Topic', error: 'Error', time: 'Since', count: 'Attempts' },
  facts: {
    position: 'Partition and offset',
    group: 'Consumer group',
    appended: 'Appended',
    event: 'Event',
    key: 'Key',
    sequence: 'Number',
  },
  none: 'No dead letters wait',
  noneHint: 'A record that no service can process appears here, with its error. The same list by the interface:',
  removeTopic: (topic: string): string => `Topic: ${topic}`,
  ofTopic: 'Others of the topic',
  redrive: 'Redrive',
  discard: 'Discard',
  all: { redrive: 'Redrive all', discard: 'Discard all' },
  confirmAll: { redrive: 'Confirm redrive', discard: 'Confirm discard' },
  which: (topic: string | undefined): string =>
    topic === undefined ? 'All dead letters that wait now, of every topic.' : `All dead letters of ${topic} that wait now.`,
  hints: {
    redrive: 'Puts the record back into its topic as it was. What fails again comes back as another dead letter.',
    discard: 'Removes it for good: what its record says does not happen.',
  },
  progress: {
    redrive: (done: number, isEnd: boolean): string => `${count(done)} redriven${isEnd ? '.' : ' …'}`,
    discard: (done: number, isEnd: boolean): string => `${count(done)} discarded${isEnd ? '.' : ' …'}`,
  },
  left: 'Left where they are',
  discardTitle: 'Discard dead letter',
  confirmDiscard: 'Confirm discard',
  done: {
    redrive: 'Redriven: its record is back in the topic.',
    discard: 'Discarded.',
  },
  notVerified: 'None of our processes wrote this record: no field of it means anything.',
  notStored: 'The record was too large to be stored with it: read it from its topic, or discard it.',
  value: 'Value',
  noValue: 'There is no value, or its bytes are not stored.',
  headers: 'Headers',
} as const;
