import sharp from 'sharp';
import type { Loose, Person } from '../world/person.ts';

/** A picture whose left half is red and whose right half is blue. */
export async function halves(width: number, height: number) {
  const right = await sharp({ create: { width: Math.ceil(width / 2), height, channels: 3, background: '#0000ff' } })
    .png()
    .toBuffer();
  const left = { create: { width, height, channels: 3, background: '#ff0000' } } as const;
  return sharp(left).composite([{ input: right, left: Math.floor(width / 2), top: 0 }]);
}

/** A photo as phones take them: lying on its side, and with the place where it was taken. */
export async function photo(): Promise<Buffer<ArrayBuffer>> {
  const jpeg = (await halves(900, 600)).withMetadata({ orientation: 6 }).withExifMerge({
    IFD0: { Model: 'Secret camera' },
    IFD3: { GPSLatitudeRef: 'N', GPSLatitude: '51/1 30/1 3230/100', GPSLongitudeRef: 'E', GPSLongitude: '0/1 7/1 0/1' },
  });
  return Buffer.from(await jpeg.jpeg().toBuffer());
}

/** An animation with noise in it, so that it does not get small. */
export async function moving(
  frames: number,
  size: number,
  format: 'gif' | 'webp' = 'gif',
): Promise<Buffer<ArrayBuffer>> {
  const pages = Array.from({ length: frames }, (_, index) =>
    sharp({
      create: {
        width: size,
        height: size,
        channels: 3,
        background: { r: (index * 97) % 256, g: (index * 31) % 256, b: 40 },
      },
    })
      .png()
      .toBuffer(),
  );
  const joined = sharp(await Promise.all(pages), { join: { animated: true } });
  return Buffer.from(await (format === 'gif' ? joined.gif() : joined.webp()).toBuffer());
}

/** Uploads a picture. */
export async function sendPicture(
  who: Person,
  bytes: Uint8Array<ArrayBuffer>,
  fields: Record<string, string> = {},
): Promise<{ status: number; body: Loose }> {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.append(field, value);
  form.append('file', new Blob([bytes]), 'picture');
  const headers = { authorization: `Bearer ${who.token}` };
  const response = await fetch(`${who.node.url}/api/media/pictures`, { method: 'POST', body: form, headers });
  return { status: response.status, body: await response.json() };
}
