/** Elements that one render may put out, those of every turn of a loop counted. */
export const ELEMENTS_RENDERED_MAX = 10_000;
/** How deep elements may stand in one another. */
export const ELEMENT_DEPTH_MAX = 20;
/** Lists in lists; deeper ones are left out with a warning. */
export const LIST_DEPTH_MAX = 5;
/** Characters of a subject or title: what a line of a mail's header can hold. */
export const TITLE_CHARS_MAX = 998;
