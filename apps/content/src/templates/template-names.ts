/** Conditions of the template with this id or alias: one at most, since no alias is another template's id (`OpenTemplate.setAlias`). */
export function named(workspaceId: string, name: string) {
  return [
    { workspaceId, id: name },
    { workspaceId, alias: name },
  ];
}

/** SQL: the id of the template with the id or alias `name`, null where there is none; one index lookup each. */
export const templateNamed = (workspaceId: string, name: string) => `coalesce(
  (select named.template_id from notification_templates named
    where named.workspace_id = ${workspaceId} and named.template_id = ${name} collate "C" and named.archived_at is null),
  (select named.template_id from notification_templates named
    where named.workspace_id = ${workspaceId} and named.alias = ${name} collate "C" and named.archived_at is null))`;
