import { setPriority } from 'node:os';
import sharp, { type SharpInput } from 'sharp';
import type { EncodedPicture, PictureJob, PictureResult, PictureShape } from './picture-encoder.ts';

/**
 * The process that decodes pictures, which anyone makes: it has no secrets, no files and no connections, only the formats
 * named here, and is ended when it takes too long.
 */
const formats = ['Jpeg', 'Png', 'Webp', 'Nsgif', 'Heif'];

sharp.cache(false);
// One thread: the node needs the other cores.
sharp.concurrency(1);
sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: formats.map((format) => `VipsForeignLoad${format}Buffer`) });
setPriority(10);

/** The sizes of a shape, in pixels at most. Pictures are never enlarged. */
const sizes: Record<PictureShape, { large: [number, number]; small: [number, number] }> = {
  square: { large: [512, 512], small: [96, 96] },
  banner: { large: [1500, 500], small: [480, 160] },
  whole: { large: [512, 512], small: [96, 96] },
  thumbnail: { large: [800, 800], small: [96, 96] },
  emoji: { large: [128, 128], small: [48, 48] },
};
/** An animation that has more than this, before or after, becomes its first frame. */
const largestAnimation = { frames: 100, bytes: 1024 * 1024 };
/** There may be many of them on a page. */
const largestMovingEmoji = 256 * 1024;
const stillQuality = { quality: 82, effort: 4 };
/** An animation has up to a hundred times the work. */
const movingQuality = { quality: 75, effort: 1 };

type Size = [width: number, height: number];

/** The largest size with the shape's proportions that the picture fills; of some with its own. */
function fitting([width, height]: Size, shape: PictureShape, [maxWidth, maxHeight]: Size): Size {
  const isCut = shape === 'square' || shape === 'banner';
  const [wide, high] = isCut ? [maxWidth, maxHeight] : [width, height];
  const scale = Math.min(width / wide, height / high, maxWidth / wide, maxHeight / high);
  return [Math.max(1, Math.round(wide * scale)), Math.max(1, Math.round(high * scale))];
}

async function encode({ bytes, shape, maxPixels }: PictureJob): Promise<EncodedPicture> {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const options = { limitInputPixels: maxPixels, failOn: 'error' } as const;
  const { autoOrient, pages = 1, width: frameWidth, height: frameHeight } = await sharp(input, options).metadata();
  const original: Size = [autoOrient.width, autoOrient.height];
  const [width, height] = fitting(original, shape, sizes[shape].large);
  // Decoded once for both sizes. What is not asked for is left out: places, cameras, comments.
  const decoded = sharp(input, { ...options, autoOrient: true }).resize(width, height, { fit: 'cover' });
  const { data, info } = await decoded.raw().toBuffer({ resolveWithObject: true });
  const raw = { width: info.width, height: info.height, channels: info.channels };
  const still = (of: SharpInput) => sharp(of, { raw }).webp(stillQuality);
  const [smallWidth, smallHeight] = fitting([width, height], shape, sizes[shape].small);
  const small = await sharp(data, { raw })
    .resize(smallWidth, smallHeight, { fit: 'cover' })
    .webp(stillQuality)
    .toBuffer();
  const mayMove =
    shape !== 'thumbnail' &&
    pages > 1 &&
    pages <= largestAnimation.frames &&
    input.length <= largestAnimation.bytes &&
    pages * frameWidth * frameHeight <= maxPixels;
  const most = shape === 'emoji' ? largestMovingEmoji : largestAnimation.bytes;
  const moving = mayMove ? await animated(input, options, [width, height], most) : undefined;
  const large = moving ?? (await still(data).toBuffer());
  return {
    large: { bytes: Uint8Array.from(large), width, height },
    small: { bytes: Uint8Array.from(small), width: smallWidth, height: smallHeight },
    isAnimated: moving !== undefined,
    original: { width: original[0], height: original[1] },
  };
}

/** @returns undefined: it is too large, or cannot be one, and its first frame has to do */
async function animated(
  input: Buffer,
  options: { limitInputPixels: number; failOn: 'error' },
  [width, height]: Size,
  most: number,
): Promise<Buffer | undefined> {
  const frames = sharp(input, { ...options, animated: true }).resize(width, height, { fit: 'cover' });
  const result = await frames
    .webp(movingQuality)
    .toBuffer()
    .catch(() => undefined);
  return result && result.length <= most ? result : undefined;
}

process.on('message', async (job: PictureJob) => {
  const result: PictureResult = await encode(job).then(
    (picture) => ({ picture }),
    () => ({ picture: null }),
  );
  process.send?.(result);
});
// Its node has ended.
process.on('disconnect', () => process.exit());
process.send?.('ready');
