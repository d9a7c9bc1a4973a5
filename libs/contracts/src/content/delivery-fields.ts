import { declaredFields, fieldsOfEach, type KnownFields, namedFields } from '../core/known-fields';
import { Utm } from './utm';

const METADATA = namedFields('utm', { utm: declaredFields(Utm) });

/** Nodes of a routing, and the longer form of its channels. */
const ROUTING_FIELDS = new Map<string, KnownFields | null>([
  ...namedFields('method channel config if').fields,
  ['providers', namedFields('name config if metadata', { metadata: METADATA })],
]);
const ROUTING: KnownFields = { fields: ROUTING_FIELDS };
ROUTING_FIELDS.set('channels', ROUTING);

/** The known fields of content, of a routing, and of the settings of channels and providers: of a send, or stored for sends. */
export const DELIVERY_FIELDS = {
  /** Elemental nodes are open: later nodes may read any field of them. */
  content: namedFields('title body version elements brand'),
  channels: settingsFields('brand_id if metadata override providers routing_method timeout timeouts', namedFields('channel provider')),
  providers: settingsFields('brand_id if metadata override timeout timeouts', namedFields('provider')),
  routing: ROUTING,
};

function settingsFields(names: string, timeouts: KnownFields) {
  return fieldsOfEach(namedFields(names, { metadata: METADATA, timeout: timeouts, timeouts }));
}
