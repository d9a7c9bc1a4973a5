import { Type } from 'class-transformer';
import { IsBoolean, IsOptional, IsString, ValidateNested } from 'class-validator';

class BrandLogo {
  /** Target of the link. */
  @IsOptional()
  @IsString()
  href?: string | null;

  /** URL of the image. */
  @IsOptional()
  @IsString()
  image?: string | null;
}

/** A part that is the default brand's with `inheritDefault`. */
class InheritablePart {
  @IsOptional()
  @IsBoolean()
  inheritDefault?: boolean | null;
}

class BrandHeader extends InheritablePart {
  @IsOptional()
  @ValidateNested()
  @Type(() => BrandLogo)
  logo?: BrandLogo | null;

  @IsOptional()
  @IsString()
  barColor?: string | null;
}

class BrandHead extends InheritablePart {
  @IsOptional()
  @IsString()
  content?: string | null;
}

class BrandSocialLink {
  @IsOptional()
  @IsString()
  url?: string | null;
}

class BrandSocial extends InheritablePart {
  @IsOptional()
  @ValidateNested()
  @Type(() => BrandSocialLink)
  facebook?: BrandSocialLink | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandSocialLink)
  instagram?: BrandSocialLink | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandSocialLink)
  linkedin?: BrandSocialLink | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandSocialLink)
  medium?: BrandSocialLink | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandSocialLink)
  twitter?: BrandSocialLink | null;
}

/** The footer; some clients name its text `markdown`, others `content`. */
export class BrandFooter extends InheritablePart {
  @IsOptional()
  @IsString()
  markdown?: string | null;

  @IsOptional()
  @IsString()
  content?: string | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandSocial)
  social?: BrandSocial | null;
}

/** The frame around the content, instead of the standard frame. */
class BrandTemplate {
  @IsOptional()
  @IsBoolean()
  enabled?: boolean | null;

  @IsOptional()
  @IsString()
  backgroundColor?: string | null;

  @IsOptional()
  @IsString()
  blocksBackgroundColor?: string | null;

  @IsOptional()
  @IsString()
  head?: string | null;

  @IsOptional()
  @IsString()
  header?: string | null;

  @IsOptional()
  @IsString()
  footer?: string | null;

  @IsOptional()
  @IsString()
  width?: string | null;
}

class BrandTemplateOverride extends BrandTemplate {
  @IsOptional()
  @ValidateNested()
  @Type(() => BrandTemplate)
  mjml?: BrandTemplate | null;

  @IsOptional()
  @IsString()
  footerBackgroundColor?: string | null;

  @IsOptional()
  @IsBoolean()
  footerFullWidth?: boolean | null;
}

export class BrandEmail {
  @IsOptional()
  @ValidateNested()
  @Type(() => BrandHeader)
  header?: BrandHeader | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandHead)
  head?: BrandHead | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandFooter)
  footer?: BrandFooter | null;

  @IsOptional()
  @ValidateNested()
  @Type(() => BrandTemplateOverride)
  templateOverride?: BrandTemplateOverride | null;
}
