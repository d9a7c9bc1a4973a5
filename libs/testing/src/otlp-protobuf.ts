/** A field of a protobuf message as it is on the wire: a number, or the bytes of a text, of a message, or of a fixed number. */
type Field = number | Buffer;

const VARINT = 0;
const FIXED_64 = 1;
const BYTES = 2;
const FIXED_32 = 5;

/** The fields of a protobuf message by their numbers, each in the order of the wire. @throws RangeError for bytes that are none. */
export function fieldsOf(message: Buffer): Map<number, Field[]> {
  const fields = new Map<number, Field[]>();
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = message.readUInt8(at++);
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  };
  const bytes = (length: number): Buffer => {
    if (at + length > message.length) throw new RangeError(`A field of ${length} bytes is longer than its message`);
    return message.subarray(at, (at += length));
  };
  while (at < message.length) {
    const tag = varint();
    const [number, type] = [Math.floor(tag / 8), tag % 8];
    const value = type === VARINT ? varint() : bytes(type === BYTES ? varint() : lengthOf(type));
    fields.set(number, [...(fields.get(number) ?? []), value]);
  }
  return fields;
}

function lengthOf(type: number): number {
  if (type === FIXED_64) return 8;
  if (type === FIXED_32) return 4;
  throw new RangeError(`${type} is no type of the wire`);
}
