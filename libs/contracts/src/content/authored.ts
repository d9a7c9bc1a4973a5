import { Int, OptionalInt, OptionalText, Text } from '../core/fields';

/** Creator and last updater of a resource, with the times in ms since the epoch. */
export class Authored {
  @Int created: number;

  @Text creator: string;

  /** Absent until the first change. */
  @OptionalInt updated?: number;

  @OptionalText updater?: string;
}
