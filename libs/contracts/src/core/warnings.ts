/** The header of an answer that has warnings about the request, which was done nevertheless: texts, separated by `; `. */
export const WARNING_HEADER = 'x-tidings-warning';
