import { PERSON_ROLES } from '@tidings/contracts/identity/sessions';
import type { Variable } from './environment-variable';
import { publicUrl, text } from './environment-values';
import { groupRoles, groupsClaim, issuerUrl, label, oidcScopes } from './oidc-values';

const READ_BY = ['standalone', 'gateway'] as const;

/** The variables of the console's sign-in by OpenID Connect: a part of `ENVIRONMENT`. */
export const OIDC_ENVIRONMENT = {
  TIDINGS_CONSOLE_URL: {
    parse: publicUrl,
    absent: 'the value of `TIDINGS_PUBLIC_URL`, or else the address that the browser requests',
    readBy: READ_BY,
    description: 'Address of the gateway for users of the console, `https://tidings.example.com`: the issuer sends browsers back to it',
  },
  TIDINGS_CONSOLE_OIDC_ISSUER: {
    parse: issuerUrl,
    absent: 'none: people sign in with keys',
    readBy: READ_BY,
    needs: ['TIDINGS_CONSOLE_OIDC_CLIENT_ID', 'TIDINGS_CONSOLE_OIDC_ROLES'],
    description:
      'Issuer of OpenID Connect that signs people in to the console, `https://login.example.com/realms/acme`; `http://` only on this machine',
  },
  TIDINGS_CONSOLE_OIDC_CLIENT_ID: {
    parse: text,
    absent: 'none',
    readBy: READ_BY,
    needs: ['TIDINGS_CONSOLE_OIDC_ISSUER'],
    description: 'Id of the client at the issuer',
  },
  TIDINGS_CONSOLE_OIDC_CLIENT_SECRET: {
    parse: text,
    absent: 'none: a public client, with PKCE alone',
    readBy: READ_BY,
    secret: true,
    needs: ['TIDINGS_CONSOLE_OIDC_CLIENT_ID'],
    description: 'Secret of the client',
  },
  TIDINGS_CONSOLE_OIDC_SCOPES: {
    parse: oidcScopes,
    default: 'openid profile email',
    readBy: READ_BY,
    description: 'Scopes that are requested, separated by blanks; some issuers need `groups` among them',
  },
  TIDINGS_CONSOLE_OIDC_GROUPS_CLAIM: {
    parse: groupsClaim,
    default: 'groups',
    readBy: READ_BY,
    description: "Claim with a person's groups, in the ID token or the user info: a name, or a path as `realm_access.roles`",
  },
  TIDINGS_CONSOLE_OIDC_ROLES: {
    parse: groupRoles,
    absent: 'none',
    readBy: READ_BY,
    needs: ['TIDINGS_CONSOLE_OIDC_ISSUER'],
    description: `What groups may do: \`ops=admin,helpdesk=support,shop=editor@shop\`, behind the \`@\` in which workspace; the first group that a person has decides. Roles: ${PERSON_ROLES.map((role) => `\`${role}\``).join(', ')}. In names \`%2C\`, \`%3D\` and \`%25\` are comma, equals sign and percent sign`,
  },
  TIDINGS_CONSOLE_OIDC_WORKSPACE: {
    parse: text,
    default: 'default',
    readBy: READ_BY,
    description: 'Name of the workspace of roles without one of their own',
  },
  TIDINGS_CONSOLE_OIDC_LABEL: {
    parse: label,
    default: 'OpenID Connect',
    readBy: READ_BY,
    description: 'Name of the issuer for people: the button says `Sign in with <label>`',
  },
} satisfies Record<string, Variable>;
