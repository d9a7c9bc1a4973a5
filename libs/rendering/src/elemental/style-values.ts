import { isColor } from '@tidings/contracts/content/colors';

const SIZE = /^\d{1,4}(?:\.\d{1,4})?(px|em|rem|%|pt)?$/i;
const SIZES_MAX = 4;

/** The value when it is a CSS colour, else undefined. */
export function colorOf(value: string | undefined): string | undefined {
  const color = value?.trim();
  return color && isColor(color) ? color : undefined;
}

/** A CSS length (`12px`, `1.5em`; a bare number gets `unit`), or undefined. */
export function sizeOf(value: string | undefined, unit = 'px'): string | undefined {
  const size = value?.trim();
  const found = size ? SIZE.exec(size) : null;
  if (!found) return undefined;
  return found[1] === undefined && size !== '0' ? `${size}${unit}` : size;
}

/** One to four CSS lengths, or undefined. */
export function paddingOf(value = ''): string | undefined {
  const sizes = value.trim().split(/\s+/).map((size) => sizeOf(size)); // prettier-ignore
  return sizes.length <= SIZES_MAX && sizes.every((size) => size !== undefined) ? sizes.join(' ') : undefined;
}

/** The whole number of pixels in `120px` or `120`; undefined for other units. */
export function pixelsOf(value = ''): number | undefined {
  const found = /^(\d{1,4})(?:\.\d+)?(?:px)?$/i.exec(value.trim());
  return found ? Number(found[1]) : undefined;
}

/** A colour of letters that can be read on `background`: dark on light ones, white on dark and on unknown ones. */
export function readableOn(background: string): string {
  const luminance = luminanceOf(background);
  return luminance !== undefined && luminance > LIGHT ? '#18181b' : '#ffffff';
}

/** `color`, or `fallback` when its contrast on `background` is too low. */
export function legible(color: string, background: string, fallback: string): string {
  return (contrastOf(color, background) ?? CONTRAST_MIN) < CONTRAST_MIN ? fallback : color;
}

/** The contrast of two colours as WCAG defines it, 1 to 21; undefined where one is in a notation without its numbers. */
export function contrastOf(color: string, background: string): number | undefined {
  const [one, other] = [luminanceOf(color), luminanceOf(background)];
  if (one === undefined || other === undefined) return undefined;
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

/** Luminance above which dark letters are more legible than white ones, biased towards white. */
const LIGHT = 0.36;
/** Half of the contrast required for running text: enough for an underlined link. */
const CONTRAST_MIN = 2.25;

/** Relative luminance as the guidelines for accessible content define it, 0 to 1. */
function luminanceOf(color: string) {
  const weighted = rgbOf(color)?.map((channel, index) => {
    const part = channel / 255;
    return (WEIGHTS[index] as number) * (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  });
  return weighted?.reduce((sum, part) => sum + part);
}

/** Of red, green and blue. */
const WEIGHTS = [0.2126, 0.7152, 0.0722];

function rgbOf(color: string) {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(color.trim())?.[1];
  if (hex === undefined) return NAMED_LIGHT.has(color.trim().toLowerCase()) ? [240, 240, 240] : undefined;
  const long = hex.length <= 4 ? Array.from(hex, (digit) => digit + digit).join('') : hex;
  return [0, 2, 4].map((at) => parseInt(long.slice(at, at + 2), 16));
}

const NAMED_LIGHT = new Set('white yellow lime cyan aqua ivory beige pink gold orange khaki lavender linen snow silver lightgray lightgrey whitesmoke'.split(' ')); // prettier-ignore
