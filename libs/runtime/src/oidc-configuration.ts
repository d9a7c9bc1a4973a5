import type { PersonRole } from '@tidings/contracts/identity/sessions';
import type { Values } from './environment-table';

/** How people sign in to the console by OpenID Connect. */
export interface OidcSettings {
  readonly issuer: string;
  readonly clientId: string;
  /** Absent: a public client. */
  readonly clientSecret?: string;
  /** Separated by blanks. */
  readonly scopes: string;
  /** Name or path of the claim with the groups. */
  readonly groupsClaim: string;
  /** What groups may do; the first that a person has decides. */
  readonly roles: readonly { readonly group: string; readonly role: PersonRole; readonly workspace: string }[];
  /** Name of the issuer for people. */
  readonly label: string;
}

/** Undefined without an issuer. */
export function toOidc(values: Values): OidcSettings | undefined {
  const { TIDINGS_CONSOLE_OIDC_ISSUER: issuer, TIDINGS_CONSOLE_OIDC_CLIENT_ID: clientId, TIDINGS_CONSOLE_OIDC_ROLES: roles } = values;
  if (issuer === undefined || clientId === undefined || roles === undefined) return undefined;
  const workspace = values.TIDINGS_CONSOLE_OIDC_WORKSPACE!;
  return {
    issuer,
    clientId,
    clientSecret: values.TIDINGS_CONSOLE_OIDC_CLIENT_SECRET,
    scopes: values.TIDINGS_CONSOLE_OIDC_SCOPES!,
    groupsClaim: values.TIDINGS_CONSOLE_OIDC_GROUPS_CLAIM!,
    roles: roles.map((one) => ({ workspace, ...one })),
    label: values.TIDINGS_CONSOLE_OIDC_LABEL!,
  };
}
