/** `<message id>.<number of the route>`; vendors that allow no dots give it back with an underscore. */
const DELIVERY_KEY = /^(1-[0-9a-f]{8}-[0-9a-f]{24})[._](\d{1,4})$/;

/** The delivery of a message by one of its routes. */
export interface DeliveryName {
  readonly messageId: string;
  /** Number of the route in the message's routing, from 0. */
  readonly leaf: number;
}

/** The key under which a provider is called: the same for every attempt of the delivery. At most 40 characters. */
export function deliveryKey({ messageId, leaf }: DeliveryName): string {
  return `${messageId}.${leaf}`;
}

/** The delivery of a key, also where its dot was replaced by an underscore; undefined for any other value. */
export function parseDeliveryKey(key: unknown): DeliveryName | undefined {
  const [, messageId, leaf] = (typeof key === 'string' && DELIVERY_KEY.exec(key)) || [];
  return messageId === undefined ? undefined : { messageId, leaf: Number(leaf) };
}
