import { IsBoolean, IsObject, IsString, Length } from 'class-validator';
import { USER_ID_LENGTH_MAX } from '../identity/profiles';

/** Everything that is kept of a user is to go. */
export class EraseUser {
  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id!: string;
}

/** What one bounded step of an erasure did. Repeating it does what is left, or nothing. */
export class ErasedUser {
  /** Nothing is left that this service knows of. */
  @IsBoolean()
  done!: boolean;

  /** How many of what, by names as `bulk_users`: `tidings erase --json` tells them as they are. */
  @IsObject()
  removed!: Record<string, number>;
}
