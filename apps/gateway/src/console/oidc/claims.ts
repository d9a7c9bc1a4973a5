/// <reference lib="es2024.string" />
import type { SessionPerson } from '@tidings/contracts/identity/sessions';
import type { OidcSettings } from '@tidings/runtime/oidc-configuration';

/** Claims of an ID token, with those of the user info. */
export type Claims = Readonly<Record<string, unknown>>;

/** Claims that may name a person, the best first. */
const NAMES = ['name', 'preferred_username', 'email'];
const NAME_LENGTH_MAX = 200;

/** The groups in a claim; undefined where there is no such claim. A name with dots that no claim has is a path. */
export function groupsIn(claims: Claims, claim: string): string[] | undefined {
  const value = Object.hasOwn(claims, claim) ? claims[claim] : valueAt(claims, claim.split('.'));
  if (typeof value === 'string') return [value];
  return Array.isArray(value) ? value.filter((group) => typeof group === 'string') : undefined;
}

function valueAt(value: unknown, [name, ...rest]: readonly string[]): unknown {
  if (name === undefined) return value;
  if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
  return valueAt((value as Claims)[name], rest);
}

/** The name that audit events show; undefined where no claim has one. */
export function nameIn(claims: Claims): string | undefined {
  for (const name of NAMES) {
    const value = claims[name];
    const text = typeof value === 'string' ? value.replaceAll(/[\p{C}\s]+/gu, ' ').trim() : '';
    if (text !== '') return text.slice(0, NAME_LENGTH_MAX).toWellFormed();
  }
  return undefined;
}

/** Who the claims of a subject are of. */
export function personIn(claims: Claims, subject: string): SessionPerson {
  return { id: subject, name: nameIn(claims) ?? subject.slice(0, NAME_LENGTH_MAX) };
}

/** The role of the first configured group that a person has. */
export function roleOf(groups: readonly string[], roles: OidcSettings['roles']) {
  return roles.find(({ group }) => groups.includes(group));
}
