import { auth, type IssuedToken, issuedTokens, type IssueToken } from '@tidings/contracts/identity/issued-tokens';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { answersLocally, type LocalHandlers } from '../routes/local-handlers';
import type { Caller } from './caller';

/** Handler of `issueToken`: identity signs the token; the gateway adds the id of the requesting key. */
export function issuesTokens(client: OperationClient): LocalHandlers {
  return answersLocally(auth, {
    issueToken: (caller: Caller, { scope, expires_in }: IssueToken): Promise<IssuedToken> =>
      client.call(issuedTokens.sign, caller, { scope, expires_in, key_id: caller.keyId }),
  });
}
