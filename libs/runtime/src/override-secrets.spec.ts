import { randomBytes, randomUUID } from 'node:crypto';
import { deepMerge } from '@tidings/contracts/core/deep-merge';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import { OverrideSecrets } from './override-secrets';

const [key, other] = [randomBytes(32), randomBytes(32)];
const workspaceId = randomUUID();
const secrets = new OverrideSecrets([key]);
const OVERRIDE = { body: { from: 'us' }, config: { authorization: 'hunter2', url: null }, headers: { 'x-key': 'hunter2' } };

const requestOf = (fields: object): MessageRequested => ({ workspaceId, profile: {}, ...fields }) as unknown as MessageRequested;
const requestWith = (override: object): MessageRequested => requestOf({ providers: { http: { if: 'true', override } } });
const overrideOf = ({ providers }: MessageRequested): Record<string, unknown> => providers!.http!.override!;

it('seals each value of config and headers separately, and opens it again', () => {
  const sealed = secrets.accept(requestWith(OVERRIDE));

  expect(JSON.stringify(sealed)).not.toContain('hunter2');
  expect(sealed.providers!.http).toMatchObject({ if: 'true', override: { body: { from: 'us' }, config: { url: null } } });
  expect(secrets.open(workspaceId, overrideOf(sealed))).toEqual(OVERRIDE);
});

it.each([
  ['no text', { config: { port: 25, auth: { pass: 'hunter2' } } }],
  ['no object', { config: 'hunter2', headers: ['hunter2'] }],
])('seals what is %s as well', (_what, override) => {
  const sealed = secrets.accept(requestWith(override));

  expect(JSON.stringify(sealed)).not.toContain('hunter2');
  expect(secrets.open(workspaceId, overrideOf(sealed))).toEqual(override);
});

it('seals no more values than a send may have', () => {
  const headers = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, n) => [`x-${n}`, n]));

  expect(overrideOf(secrets.accept(requestWith({ headers: headers(1_000) }))).headers).toMatchObject({
    'x-999': expect.stringMatching(/^tidings-sealed:/) as string,
  });
  expect(() => secrets.accept(requestWith({ headers: headers(1_001) }))).toThrow(
    'message.providers.http.override.headers.x-1000 is more than the 1000 values',
  );
});

it('leaves a send without channels and providers unchanged', () => {
  const request = requestOf({ data: { config: 'mine' } });

  expect(secrets.accept(request)).toBe(request);
  expect(secrets.seal(request)).toBe(request);
});

it('seals so that overrides can still be merged by name', () => {
  const [channel, provider] = [{ config: { a: '1', b: '1' } }, { config: { b: '2', c: '2' } }].map(
    (override) => overrideOf(secrets.accept(requestWith(override))), //
  );

  expect(secrets.open(workspaceId, deepMerge(channel!, provider!))).toEqual({ config: { a: '1', b: '2', c: '2' } });
});

it('seals every override in the message of a bulk job', () => {
  const settings = { channels: { sms: { override: OVERRIDE } }, providers: { http: { override: OVERRIDE } } };
  const override = { http: OVERRIDE, channel: { sms: OVERRIDE }, brand: { id: 'b' }, broken: 7 };

  const sealed = secrets.acceptBulk(workspaceId, { event: 'welcome', ...settings, override, message: settings });

  expect(JSON.stringify(sealed)).not.toContain('hunter2');
  expect(sealed).toMatchObject({ event: 'welcome', override: { brand: { id: 'b' }, broken: 7 } });
});

it('does not seal again what is sealed', () => {
  const sealed = secrets.accept(requestWith(OVERRIDE));

  expect(secrets.seal(sealed)).toEqual(sealed);
});

it('opens what an earlier key sealed, and what was never sealed', () => {
  const rotated = new OverrideSecrets([other, key]);

  expect(rotated.open(workspaceId, overrideOf(secrets.accept(requestWith(OVERRIDE))))).toEqual(OVERRIDE);
  expect(rotated.open(workspaceId, OVERRIDE)).toEqual(OVERRIDE);
});

it('without a key changes nothing', () => {
  const without = new OverrideSecrets();

  expect(without.accept(requestWith(OVERRIDE))).toEqual(requestWith(OVERRIDE));
  expect(without.seal(requestWith(OVERRIDE))).toEqual(requestWith(OVERRIDE));
});

describe('what is sealed', () => {
  const sealed = overrideOf(secrets.accept(requestWith({ config: { authorization: 'hunter2' } }))) as { config: { authorization: string } };

  it.each([
    ['without its key', () => new OverrideSecrets([other]).open(workspaceId, sealed)],
    ['for another workspace', () => secrets.open(randomUUID(), sealed)],
    ['under another name', () => secrets.open(workspaceId, { headers: sealed.config })],
  ])('is not opened %s', (_how, open) => {
    expect(open).toThrow(/^override\.\S+\.authorization was sealed with a key that TIDINGS_SECRET_KEY does not hold$/);
  });

  it.each([
    ['with', secrets],
    ['without', new OverrideSecrets()],
  ])('is refused in a client’s request, %s a key', (_how, at) => {
    expect(() => at.accept(requestWith(sealed))).toThrow(
      'message.providers.http.override.config.authorization must be given as it is, not as it was stored',
    );
  });

  it('stays as it is in a template that content loaded; what is in clear there is sealed', () => {
    const template = secrets.sealTemplate(workspaceId, requestWith({ ...sealed, headers: { 'x-key': 'hunter2' } }));

    expect(overrideOf(template)).toMatchObject(sealed);
    expect(JSON.stringify(template)).not.toContain('hunter2');
  });

  it.each([
    ['with', secrets],
    ['without', new OverrideSecrets()],
  ])('is refused in stored settings with its path, %s a key', (_how, at) => {
    expect(() =>
      at.acceptSettings(workspaceId, { channels: null, providers: { 'a b': { override: sealed } } }, { prefix: 'template.' }),
    ).toThrow('template.providers["a b"].override.config.authorization must be given as it is, not as it was stored');
  });
});

describe('stored settings', () => {
  const settings = { channels: { sms: { override: OVERRIDE } }, providers: { http: { if: 'true', override: OVERRIDE } } };
  const sealed = secrets.acceptSettings(workspaceId, settings);

  it('are sealed as those of a send, and opened for their reader', () => {
    expect(JSON.stringify(sealed)).not.toContain('hunter2');
    expect(secrets.open(workspaceId, sealed.channels.sms.override)).toEqual(OVERRIDE);
    expect(secrets.openSettings(workspaceId, sealed)).toEqual(settings);
    expect(new OverrideSecrets([other]).openSettings(workspaceId, sealed)).toEqual(sealed);
  });

  it('are sealed again with the first key, whether they were sealed or in clear', () => {
    const rotated = new OverrideSecrets([other, key]);

    for (const before of [sealed, settings]) {
      const { isChanged, isUnreadable, settings: after } = rotated.resealSettings(workspaceId, before);
      expect([isChanged, isUnreadable]).toEqual([true, false]);
      expect(new OverrideSecrets([other]).openSettings(workspaceId, after)).toEqual(settings);
      expect(rotated.resealSettings(workspaceId, after)).toMatchObject({ isChanged: false, settings: after });
    }
    expect(new OverrideSecrets([other]).resealSettings(workspaceId, sealed)).toMatchObject({ isChanged: false, isUnreadable: true });
  });
});
