import { unavailable } from '@tidings/contracts/core/errors';
import type { AddressGuard } from '../http/guard/address-guard';
import { isSuccess } from './classify';
import { HttpClient } from './http-client';

/** Requests of public addresses that vendors name, as those of certificates. Closed with `close`. */
export class GuardedGet {
  private readonly client = new HttpClient({ guard: this.guard });

  constructor(private readonly guard: AddressGuard) {}

  /**
   * The body of an address, at most 64 KB; redirects are not followed.
   * @throws ServiceError `unavailable` where there is no answer, or none of success.
   */
  async get(url: string): Promise<Buffer> {
    const answer = await this.client.request({ url: new URL(url), method: 'GET', headers: {}, encoding: 'latin1' });
    if ('kind' in answer) throw unavailable(`${new URL(url).hostname} does not answer now: ${answer.error}`);
    if (!isSuccess(answer)) throw unavailable(`${new URL(url).hostname} answered ${answer.status}`);
    return Buffer.from(answer.body, 'latin1');
  }

  close(): Promise<void> {
    return this.client.close();
  }
}
