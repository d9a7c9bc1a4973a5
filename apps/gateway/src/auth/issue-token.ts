import { auth, type IssuedToken, issuedTokens, type IssueToken } from '@tidings/contracts/identity/issued-tokens';
import type { OperationClient } from '@tidings/rpc/operation-client';
import { answersLocally, type LocalHandlers } from '../routes/local-handlers';
import type { Caller } from './caller';

/** Issuing a token is identity's work; which key asks for it is known here alone. */
export function issuesTokens(client: OperationClient): LocalHandlers {
  return answersLocally(auth, {
    issueToken: (caller: Caller, { scope, expires_in }: IssueToken): Promise<IssuedToken> =>
      client.call(issuedTokens.sign, caller, { scope, expires_in, key_id: caller.keyId }),
  });
}
