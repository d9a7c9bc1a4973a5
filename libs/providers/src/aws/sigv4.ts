import { createHash, createHmac } from 'node:crypto';
import type { ClientRequest } from '../vendor/http-client';

/** An access key of an AWS account. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Of temporary credentials. */
  readonly sessionToken?: string;
}

const ALGORITHM = 'AWS4-HMAC-SHA256';

/**
 * Signs requests to one AWS service in one region (Signature Version 4), `content-type` included. Requests have no query.
 */
export class AwsSigner {
  /** The key of a day, which signs all its requests. */
  private keyOfDay?: { readonly day: string; readonly key: Buffer };

  constructor(
    private readonly credentials: AwsCredentials,
    private readonly scope: { readonly service: string; readonly region: string },
  ) {}

  /** The headers that prove the origin of a request at `nowMs`, to be sent with it. */
  headersOf({ method, url, headers, body = '' }: ClientRequest, nowMs: number): Record<string, string> {
    const { accessKeyId, sessionToken } = this.credentials;
    const time = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
    const dated = { 'x-amz-date': time, ...(sessionToken !== undefined && { 'x-amz-security-token': sessionToken }) };
    const contentType = headers['content-type'];
    const signed = { ...(contentType !== undefined && { 'content-type': contentType }), host: url.host, ...dated };
    const names = Object.keys(signed).join(';');
    const lines = Object.entries(signed).map(([name, value]) => `${name}:${value.trim().replace(/ +/g, ' ')}`);
    const canonical = [method, canonicalPath(url), '', ...lines, '', names, sha256(body)].join('\n');
    const scope = `${time.slice(0, 8)}/${this.scope.region}/${this.scope.service}/aws4_request`;
    const signature = hmac(this.keyOf(time.slice(0, 8)), [ALGORITHM, time, scope, sha256(canonical)].join('\n')).toString('hex');
    return { ...dated, authorization: `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}` };
  }

  private keyOf(day: string) {
    if (this.keyOfDay?.day !== day) {
      const { region, service } = this.scope;
      const secret: string | Buffer = `AWS4${this.credentials.secretAccessKey}`;
      const key = [day, region, service, 'aws4_request'].reduce<string | Buffer>(hmac, secret) as Buffer;
      this.keyOfDay = { day, key };
    }
    return this.keyOfDay.key;
  }
}

/** The path, of which each segment is encoded once more. */
function canonicalPath({ pathname }: URL) {
  const encode = (text: string) =>
    encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);
  return pathname.split('/').map(encode).join('/');
}

const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
const sha256 = (content: string | Uint8Array): string => createHash('sha256').update(content).digest('hex');
