/** The name by which a version is requested: `v002` of `published:v002`, `draft` of `draft`. */
export function nameOfVersion(listed: string): string {
  return listed.replace(/^published:/, '');
}
