/** Elements of one rendering, counting those of every loop iteration. */
export const ELEMENTS_RENDERED_MAX = 10_000;
/** Nesting depth of elements. */
export const ELEMENT_DEPTH_MAX = 20;
/** Nesting depth of lists; deeper ones are left out with a warning. */
export const LIST_DEPTH_MAX = 5;
/** Characters of a subject or title: the limit of a mail header line. */
export const TITLE_CHARS_MAX = 998;
