import { CreateLists1764000000010 } from './create-lists';
import { CreatePeople1764000000110 } from './create-people';
import { CreateAudiences1764000000111 } from './create-audiences';
import { WatchChanges1796000000001 } from './watch-changes';

/** What makes the schema `audience`, beside the outbox. */
export const AUDIENCE_MIGRATIONS = [
  CreateLists1764000000010,
  CreatePeople1764000000110,
  CreateAudiences1764000000111,
  WatchChanges1796000000001,
] as const;
