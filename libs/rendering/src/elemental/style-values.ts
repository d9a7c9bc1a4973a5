const COLOR = /^(?:#(?:[0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})|[a-z]{3,30}|(?:rgb|hsl)a?\([0-9a-z.,%/ ]{1,60}\))$/i;
const SIZE = /^\d{1,4}(?:\.\d{1,4})?(px|em|rem|%|pt)?$/i;
const SIZES_MAX = 4;

/** The value when it is a CSS colour, else undefined. */
export function colorOf(value: string | undefined): string | undefined {
  const color = value?.trim();
  return color && COLOR.test(color) ? color : undefined;
}

/** A CSS length (`12px`, `1.5em`; a bare number gets `unit`), or undefined. */
export function sizeOf(value: string | number | undefined, unit = 'px'): string | undefined {
  const size = typeof value === 'number' ? String(value) : value?.trim();
  const found = size ? SIZE.exec(size) : null;
  if (!found) return undefined;
  return found[1] === undefined && size !== '0' ? `${size}${unit}` : size;
}

/** One to four CSS lengths, or undefined. */
export function paddingOf(value: string | number | undefined): string | undefined {
  const sizes = String(value ?? '').trim().split(/\s+/).map((size) => sizeOf(size)); // prettier-ignore
  return sizes.length <= SIZES_MAX && sizes.every((size) => size !== undefined) ? sizes.join(' ') : undefined;
}

/** The whole number of pixels in `120px` or `120`; undefined for other units. */
export function pixelsOf(value: string | number | undefined): number | undefined {
  const found = /^(\d{1,4})(?:\.\d+)?(?:px)?$/i.exec(String(value ?? '').trim());
  return found ? Number(found[1]) : undefined;
}

/** A colour of letters that can be read on `background`: dark on light ones, white on dark and on unknown ones. */
export function readableOn(background: string): string {
  const luminance = luminanceOf(background);
  return luminance !== undefined && luminance > LIGHT ? '#18181b' : '#ffffff';
}

/** `color`, or `fallback` when its contrast on `background` is too low. */
export function legible(color: string, background: string, fallback: string): string {
  const [one, other] = [luminanceOf(color), luminanceOf(background)];
  if (one === undefined || other === undefined) return color;
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05) < CONTRAST_MIN ? fallback : color;
}

/** Luminance above which dark letters are more legible than white ones, biased towards white. */
const LIGHT = 0.36;
/** Half of the contrast required for running text: enough for an underlined link. */
const CONTRAST_MIN = 2.25;

/** Relative luminance as the guidelines for accessible content define it, 0 to 1. */
function luminanceOf(color: string) {
  const channels = rgbOf(color)?.map((channel) => {
    const part = channel / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  if (!channels) return undefined;
  const [red, green, blue] = channels as [number, number, number];
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

function rgbOf(color: string): [number, number, number] | undefined {
  const hex = /^#([0-9a-f]{3,8})$/i.exec(color.trim())?.[1];
  if (hex === undefined) return NAMED_LIGHT.has(color.trim().toLowerCase()) ? [240, 240, 240] : undefined;
  const long = hex.length <= 4 ? Array.from(hex, (digit) => digit + digit).join('') : hex;
  return [0, 2, 4].map((at) => parseInt(long.slice(at, at + 2), 16)) as [number, number, number];
}

const NAMED_LIGHT = new Set('white yellow lime cyan aqua ivory beige pink gold orange khaki lavender linen snow silver lightgray lightgrey whitesmoke'.split(' ')); // prettier-ignore
