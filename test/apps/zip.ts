import { crc32, deflateRawSync } from 'node:zlib';

/** One entry of an archive that is built byte by byte; whatever is not told is as it should be. */
export interface Entry {
  name: string | Buffer;
  content?: Buffer | string;
  /** Stored instead of deflated. */
  stored?: boolean;
  /** What the headers say, if it is not true. */
  claims?: { size?: number; compressed?: number; crc?: number; method?: number; flags?: number };
  /** Unix mode and type. */
  mode?: number;
  /** Offset of its local header; others may have the same. */
  offset?: number;
}

/** Builds a ZIP file. @param claimed how many entries its end claims to have */
export function zip(entries: Entry[], claimed?: number): Buffer {
  const locals: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const entry of entries) {
    const name = Buffer.from(entry.name);
    const content = Buffer.from(entry.content ?? '');
    const data = entry.stored ? content : deflateRawSync(content);
    const fields = fieldsOf(entry, content, data, name);
    const local = Buffer.concat([
      Buffer.from('504b0304', 'hex'),
      Buffer.from('1400', 'hex'),
      fields,
      u16(0),
      name,
      data,
    ]);
    const central = [Buffer.from('504b0102', 'hex'), u16(0x0314), u16(20), fields, u16(0), u16(0), u16(0), u16(0)];
    list.push(...central, u32(((entry.mode ?? 0o100644) << 16) >>> 0), u32(entry.offset ?? offset), name);
    locals.push(local);
    offset += local.length;
  }
  const directory = Buffer.concat(list);
  const count = u16((claimed ?? entries.length) & 0xffff);
  const end = [
    Buffer.from('504b0506', 'hex'),
    u16(0),
    u16(0),
    count,
    count,
    u32(directory.length),
    u32(offset),
    u16(0),
  ];
  return Buffer.concat([...locals, directory, ...end]);
}

function fieldsOf({ claims = {}, stored }: Entry, content: Buffer, data: Buffer, name: Buffer): Buffer {
  return Buffer.concat([
    u16(claims.flags ?? 0x0800),
    u16(claims.method ?? (stored ? 0 : 8)),
    u32(0),
    u32(claims.crc ?? crc32(content)),
    u32(claims.compressed ?? data.length),
    u32(claims.size ?? content.length),
    u16(name.length),
  ]);
}

function u16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16LE(value);
  return bytes;
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}
