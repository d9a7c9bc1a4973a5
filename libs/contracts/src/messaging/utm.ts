import { IsOptional, IsString, MaxLength } from 'class-validator';

const UTM_LENGTH_MAX = 256;

const UTM_KEYS = ['source', 'medium', 'campaign', 'term', 'content'] as const;

function IsUtmText(): PropertyDecorator {
  return (target, property) => {
    for (const decorate of [MaxLength(UTM_LENGTH_MAX), IsString(), IsOptional()]) decorate(target, property);
  };
}

/** The UTM parameters of links: `utm_source` and so on. */
export class Utm {
  @IsUtmText()
  source?: string | null;

  @IsUtmText()
  medium?: string | null;

  @IsUtmText()
  campaign?: string | null;

  @IsUtmText()
  term?: string | null;

  @IsUtmText()
  content?: string | null;
}

/** The non-empty parameters; undefined if there is none. */
export function givenUtm(utm: Utm | null | undefined): Utm | undefined {
  const given = UTM_KEYS.filter((key) => utm?.[key]).map((key) => [key, utm![key]] as const);
  return given.length > 0 ? Object.fromEntries(given) : undefined;
}
