import type { ChannelSettings, ProviderSettings } from '@tidings/contracts/content/routing';
import type { LoadedTemplate } from '@tidings/contracts/content/sending';
import type { MessageRequested } from '@tidings/contracts/messaging/events';
import type { ProviderConfiguration } from '../providers/provider-configurations';
import { brandIdOf, overridesOf, providerNames, type RoutingContext, settingsOfLeaf, utmOf } from './routing-context';

const LEAF = { channel: 'email', integration: 'p-1', provider: 'smtp' };
const INTEGRATIONS = [{ id: 'p-1', provider: 'smtp', alias: 'main', channel: 'email' }] as unknown as ProviderConfiguration[];

const request = (fields: Partial<MessageRequested> = {}): MessageRequested => fields as MessageRequested;
const context = (template?: Partial<LoadedTemplate>, more: Partial<RoutingContext> = {}): RoutingContext => ({
  integrations: INTEGRATIONS,
  ...(template && { template: { channels: {}, providers: {}, ...template } as LoadedTemplate }),
  ...more,
});
const tenant = (...brands: (string | null)[]): Pick<RoutingContext, 'tenant'> => ({
  tenant: {
    workspace_id: 'w',
    tenant_id: 't',
    defaults: [],
    chain: brands.map((brand_id, level) => ({ tenant_id: `t${level}`, name: 't', brand_id, properties: null, user_profile: null })),
  },
});

describe('the settings of a leaf', () => {
  it('are those of the send over those of the template; null replaces a condition', () => {
    const template = {
      channels: { email: { override: { subject: 'T', text: 'T' }, if: 'x' } },
      providers: { smtp: { override: { a: 1 } } },
    };
    const send = request({ channels: { email: { override: { subject: 'S' }, if: null } }, providers: { smtp: { override: { b: 2 } } } });
    expect(settingsOfLeaf(LEAF, send, context(template))).toEqual({
      channel: { override: { subject: 'S', text: 'T' }, if: null },
      provider: { override: { a: 1, b: 2 } },
    });
  });

  it('of a provider use its key, alias or id; the more specific one overrides', () => {
    const send = request({
      providers: {
        smtp: { override: { key: 1, alias: 1, id: 1 } },
        main: { override: { alias: 2, id: 2 } },
        'p-1': { override: { id: 3 } },
        other: { override: { id: 4 } },
      },
    });
    expect(overridesOf(settingsOfLeaf(LEAF, send, context()))).toEqual([{ key: 1, alias: 2, id: 3 }]);
  });
});

it('names the provider of a leaf by id, alias and key', () => {
  expect(providerNames(LEAF, context())).toEqual(['p-1', 'main', 'smtp']);
  expect(providerNames({ ...LEAF, integration: 'default' }, context())).toEqual(['default', 'smtp']);
});

describe('the brand of a leaf', () => {
  const of = (provider: ProviderSettings, channel: ChannelSettings, brandId: string | undefined, inContext: RoutingContext) =>
    brandIdOf({ provider, channel }, request(brandId === undefined ? {} : { brandId }), inContext);

  it.each<[string, string | null | undefined, [ProviderSettings, ChannelSettings, string | undefined, RoutingContext]]>([
    ['the provider’s', 'p', [{ brand_id: 'p' }, { brand_id: 'c' }, 'm', context({ brand: 't' }, tenant('tt'))]],
    ['the channel’s', 'c', [{}, { brand_id: 'c' }, 'm', context({ brand: 't' }, tenant('tt'))]],
    ['the send’s', 'm', [{ brand_id: '' }, {}, 'm', context({ brand: 't' }, tenant('tt'))]],
    ['the send’s although the template has none', 'm', [{}, {}, 'm', context({ brand: null })]],
    ['the template’s', 't', [{}, {}, undefined, context({ brand: 't' }, tenant('tt'))]],
    ['none where the template has none', null, [{}, {}, undefined, context({ brand: null }, tenant('tt'))]],
    ['the nearest tenant’s', 'near', [{}, {}, undefined, context(undefined, tenant('far', 'near', null))]],
    ['the default brand', undefined, [{}, {}, undefined, context(undefined, tenant(null))]],
  ])('is %s', (_whose, expected, parameters) => {
    expect(of(...parameters)).toBe(expected);
  });
});

describe('the UTM parameters of links', () => {
  it('come each from the most specific of provider, channel and send', () => {
    const settings = { channel: { metadata: { utm: { source: 'c', medium: 'c' } } }, provider: { metadata: { utm: { source: 'p' } } } };
    const utm = { source: 'm', medium: 'm', campaign: 'm' };
    expect(utmOf(settings, request({ utm }))).toEqual({ source: 'p', medium: 'c', campaign: 'm' });
  });

  it('are undefined where no level sets any', () => {
    expect(utmOf({ channel: {}, provider: {} }, request())).toBeUndefined();
  });
});
