import { Type } from 'class-transformer';
import { IsArray, IsBoolean, IsIn, IsOptional, IsString, Length, ValidateNested } from 'class-validator';
import { BrandEmail } from './brand-email';

const SNIPPET_NAME_LENGTH_MAX = 256;
const PLACEMENTS = ['top', 'bottom', 'left', 'right'] as const;

/** Colours in CSS notation; other names are allowed. */
class BrandColors {
  @IsOptional()
  @IsString()
  primary?: string | null;

  @IsOptional()
  @IsString()
  secondary?: string | null;

  @IsOptional()
  @IsString()
  tertiary?: string | null;
}

class BrandIcons {
  @IsOptional()
  @IsString()
  bell?: string | null;

  @IsOptional()
  @IsString()
  message?: string | null;
}

class BrandWidgetBackground {
  @IsOptional()
  @IsString()
  topColor?: string | null;

  @IsOptional()
  @IsString()
  bottomColor?: string | null;
}

class BrandPreferencePage {
  @IsOptional()
  @IsArray()
  @IsString({ each: true })
  templateIds?: string[] | null;
}

/** For the widgets in a client's own pages. */
class BrandInApp {
  @IsOptional()
  @ValidateNested()
  @Type(() => BrandColors)
  colors?: BrandColors | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandIcons)
  icons?: BrandIcons | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandWidgetBackground)
  widgetBackground?: BrandWidgetBackground | null;

  @IsOptional()
  @IsString()
  borderRadius?: string | null;

  @IsOptional()
  @IsBoolean()
  disableMessageIcon?: boolean | null;

  @IsOptional()
  @IsString()
  fontFamily?: string | null;

  @IsOptional()
  @IsIn(PLACEMENTS)
  placement?: (typeof PLACEMENTS)[number] | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandPreferencePage)
  preferences?: BrandPreferencePage | null;
}

/** The known settings of a brand; other fields are stored unchanged. */
export class BrandSettings {
  @IsOptional()
  @ValidateNested()
  @Type(() => BrandColors)
  colors?: BrandColors | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandEmail)
  email?: BrandEmail | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandInApp)
  inapp?: BrandInApp | null;
}

export class BrandSnippet {
  /** The name in templates: `{{> name}}`. */
  @IsString()
  @Length(1, SNIPPET_NAME_LENGTH_MAX)
  name!: string;

  @IsString()
  value!: string;

  @IsOptional()
  @IsIn(['handlebars'])
  format?: 'handlebars' | null;
}

export class BrandSnippets {
  @IsOptional()
  @IsArray()
  @ValidateNested({ each: true })
  @Type(() => BrandSnippet)
  items?: BrandSnippet[] | null;
}
