import { Type } from 'class-transformer';
import { ArrayMaxSize, IsArray, IsObject, IsString, IsUUID, Length, ValidateNested } from 'class-validator';
import { defineOperation } from '../core/operation';
import { type ProfileFields, USER_ID_LENGTH_MAX } from './profiles';

export const RECIPIENTS_MAX = 1_000;

/** Profiles of one answer, in characters of JSON; one more than fits is still answered. */
export const RECIPIENTS_CHARS_MAX = 4 * 1024 * 1024;

/** A user of a workspace; the call is the system's own, over many workspaces at once. */
export class RecipientKey {
  @IsUUID()
  workspace_id!: string;

  @IsString()
  @Length(1, USER_ID_LENGTH_MAX)
  user_id!: string;
}

export class LoadRecipients {
  @IsArray()
  @ArrayMaxSize(RECIPIENTS_MAX)
  @ValidateNested({ each: true })
  @Type(() => RecipientKey)
  recipients!: RecipientKey[];
}

/** What a send needs to know of a user. */
export class LoadedRecipient {
  @IsObject()
  profile!: ProfileFields;
}

export class LoadedRecipients {
  /**
   * In the order asked; a user without profile gets an empty one, which is stored. Large profiles end the answer early: it is
   * then a beginning of what was asked, at least one, and the caller asks again for the rest.
   */
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => LoadedRecipient)
  recipients!: LoadedRecipient[];
}

export const recipients = {
  load: defineOperation({
    pattern: 'identity.recipients.load',
    scope: 'internal',
    summary: 'Everything a send needs to know of up to 1,000 users, in a constant number of statements',
    request: LoadRecipients,
    response: LoadedRecipients,
    repeatable: true,
  }),
};
