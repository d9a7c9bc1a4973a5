import { problemOfToken } from '../credentials';
import type { SettingProblem, SettingValues } from '../setting-values';
import type { Signer } from '../vendor/vendor';
import { AwsSigner } from './sigv4';

/** The settings of every service of AWS: an access key and a region. */
export const AWS_FIELDS = {
  access_key_id: { type: 'string', required: true, lengthMin: 16, lengthMax: 128 },
  secret_access_key: { type: 'string', required: true, lengthMax: 128, secret: true },
  session_token: { type: 'string', required: false, lengthMax: 4_096, secret: true },
  region: { type: 'string', required: true, lengthMax: 32, destination: true },
} as const;

/** What they are, for the page of a vendor. */
export const ABOUT_AWS = {
  access_key_id: 'id of the access key',
  secret_access_key: 'secret of the access key',
  session_token: 'session token of temporary credentials',
  region: 'region of the account that sends, such as `eu-central-1`',
} as const;

/** Settings of an account. */
export type AwsAccount = SettingValues<typeof AWS_FIELDS>;

/** The problems of these settings, for `check` of a vendor. */
export function problemsOfAws({ access_key_id, session_token, region }: Partial<AwsAccount>): (SettingProblem | false)[] {
  return [
    access_key_id !== undefined && !/^\w+$/.test(access_key_id) && ['access_key_id', 'must be letters and digits'],
    problemOfToken('session_token', session_token),
    region !== undefined && !/^[a-z]{2}(-[a-z0-9]+)+$/.test(region) && ['region', 'must be a region, such as eu-central-1'],
  ];
}

/** The base URL of a service whose hosts begin with `host`. */
export function awsUrl(host: string, { region }: AwsAccount): string {
  return `https://${host}.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
}

/** Signs the requests to a service. */
export function awsSigner(service: string, account: AwsAccount, now: () => number): Signer {
  const { access_key_id: accessKeyId, secret_access_key: secretAccessKey, session_token: sessionToken, region } = account;
  const signer = new AwsSigner({ accessKeyId, secretAccessKey, sessionToken }, { service, region });
  return { headersOf: (request) => signer.headersOf(request, now()) };
}
