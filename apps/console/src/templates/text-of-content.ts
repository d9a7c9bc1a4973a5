/** Content as it is edited and compared. */
export function textOfContent(content: object): string {
  return JSON.stringify(content, null, 2);
}
