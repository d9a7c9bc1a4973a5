import { IsInt, IsString } from 'class-validator';
import { Optional, OptionalText } from '../core/fields';

/** Creator and last updater of a resource, with the times in ms since the epoch. */
export class Authored {
  @IsInt() created!: number;

  @IsString() creator!: string;

  /** Absent until the first change. */
  @Optional(IsInt()) updated?: number;

  @OptionalText() updater?: string;
}
