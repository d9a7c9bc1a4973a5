import { deadLetterOperations } from '../core/dead-letter-operations';

/** Dead letters of the topics that audience reads, and records that are put back into the topics that it writes. */
export const audienceDeadLetters = deadLetterOperations('audience');
