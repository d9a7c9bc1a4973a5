import { OptionalFlag, OptionalNested, OptionalText } from '../core/fields';

class BrandLogo {
  /** Target of the link. */
  @OptionalText href?: string | null;

  /** URL of the image. */
  @OptionalText image?: string | null;
}

/** A part that is the default brand's with `inheritDefault`. */
class InheritablePart {
  @OptionalFlag inheritDefault?: boolean | null;
}

class BrandHeader extends InheritablePart {
  @OptionalNested(() => BrandLogo) logo?: BrandLogo | null;

  @OptionalText barColor?: string | null;
}

class BrandHead extends InheritablePart {
  @OptionalText content?: string | null;
}

class BrandSocialLink {
  @OptionalText url?: string | null;
}

class BrandSocial extends InheritablePart {
  @OptionalNested(() => BrandSocialLink) facebook?: BrandSocialLink | null;

  @OptionalNested(() => BrandSocialLink) instagram?: BrandSocialLink | null;

  @OptionalNested(() => BrandSocialLink) linkedin?: BrandSocialLink | null;

  @OptionalNested(() => BrandSocialLink) medium?: BrandSocialLink | null;

  @OptionalNested(() => BrandSocialLink) twitter?: BrandSocialLink | null;
}

/** The footer; some clients name its text `markdown`, others `content`. */
export class BrandFooter extends InheritablePart {
  @OptionalText markdown?: string | null;

  @OptionalText content?: string | null;

  @OptionalNested(() => BrandSocial) social?: BrandSocial | null;
}

/** The frame around the content, instead of the standard frame. */
class BrandTemplate {
  @OptionalFlag enabled?: boolean | null;

  @OptionalText backgroundColor?: string | null;

  @OptionalText blocksBackgroundColor?: string | null;

  @OptionalText head?: string | null;

  @OptionalText header?: string | null;

  @OptionalText footer?: string | null;

  @OptionalText width?: string | null;
}

class BrandTemplateOverride extends BrandTemplate {
  @OptionalNested(() => BrandTemplate) mjml?: BrandTemplate | null;

  @OptionalText footerBackgroundColor?: string | null;

  @OptionalFlag footerFullWidth?: boolean | null;
}

export class BrandEmail {
  @OptionalNested(() => BrandHeader) header?: BrandHeader | null;

  @OptionalNested(() => BrandHead) head?: BrandHead | null;

  @OptionalNested(() => BrandFooter) footer?: BrandFooter | null;

  @OptionalNested(() => BrandTemplateOverride) templateOverride?: BrandTemplateOverride | null;
}
