import { z } from 'zod';
import { calls, contentHeaders, rawAnswer, textParam } from './call.ts';
import { record, withDefault } from './schema.ts';

export const pictureSizes = ['large', 'small'] as const;
export type PictureSize = (typeof pictureSizes)[number];

export const pictureName = z.string().regex(/^[0-9a-f]{32}$/, 'must be the name of a picture');

/** The address of an uploaded picture: its name cannot be guessed, and what is behind it never changes. */
export const picturePath = /^\/media\/([0-9a-f]{32})\.webp$/;

export const picturePathOf = (name: string): string => `/media/${name}.webp`;

/** The name of the picture at an address; undefined for every other one. */
export const pictureNameIn = (url: string): string | undefined => picturePath.exec(url)?.[1];

/** A web address, or a path on this site, such as that of an uploaded picture. */
export const pictureUrlSchema = z
  .string()
  .max(2048)
  .regex(/^(https?:\/\/[^\s]+|\/(?![/\\])[^\s]*)$/, 'must be an https address, or a path of this site')
  .meta({ examples: ['https://example.com/alice.png'] })
  .describe('A public https address, one that `APP_PROXY_ALLOW` names, or the `url` of an uploaded picture.');

/** A file of one's own in place of a picture (`POST /api/media/upload`) becomes one as it is set. */
export const pictureErrors = ['ATTACHMENT_NOT_FOUND', 'PICTURE_INVALID', 'QUOTA_EXCEEDED'] as const;

export const pictureSchema = record('Picture', {
  url: z.string().describe('For `avatarUrl`, `iconUrl` and `bannerUrl`; for everyone, forever.'),
  smallUrl: z.string().describe('The same in 96 pixels, or 480 of a banner; it never moves.'),
  contentType: z.literal('image/webp'),
  size: z.number().int().describe('Bytes of both sizes together.'),
  width: z.number().int(),
  height: z.number().int(),
  isAnimated: z.boolean(),
});

export type PictureRecord = z.output<typeof pictureSchema>;

const uploadPictureSchema = z.object({
  shape: withDefault(z.enum(['square', 'banner', 'emoji']), 'square').describe(
    'Comes before the file. Cut from the middle: a square of up to 512 pixels, or a banner of up to 1500 by 500. An emoji is up to 128 pixels, whole.',
  ),
});

const maxLinks = 50;

/** Any other text is answered with null, so that one odd address does not take the others with it. */
const outsideUrlsSchema = z.object({ urls: z.array(z.string().max(2048)).min(1).max(maxLinks) });

const outsideLinksSchema = z.object({
  links: z.array(
    z.object({
      url: z.string().describe('As it was sent.'),
      link: z.string().nullable().describe('The path of the same picture on this site; null: it is no web address.'),
    }),
  ),
});

const sizeQuery = z.object({ size: z.enum(pictureSizes).default('large').describe('`large` unless given.') });

export const pictureCalls = calls('Media', {
  uploadPicture: {
    method: 'POST',
    path: '/api/media/pictures',
    summary:
      'Upload a picture of a person, bot or server; then set its `url` there. One that nobody uses is forgotten.',
    file: 'PNG, JPEG, GIF, WebP or AVIF; up to 4 MiB, unless this server is configured otherwise.',
    body: uploadPictureSchema,
    status: 201,
    answer: pictureSchema,
    errors: ['PICTURE_INVALID', 'QUOTA_EXCEEDED'],
    limit: 'pictures',
  },
  getPicture: {
    method: 'GET',
    path: '/media/:picture',
    summary: 'An uploaded picture, for everyone.',
    auth: 'none',
    params: { picture: textParam('PICTURE_NOT_FOUND', 'Its name, with `.webp`.') },
    query: sizeQuery,
    headers: contentHeaders,
    produces: 'image/webp',
    answer: rawAnswer,
    errors: ['PICTURE_NOT_FOUND'],
  },
  linkOutsidePictures: {
    method: 'POST',
    path: '/api/media/outside-links',
    summary:
      'Links by which browsers get pictures at outside addresses from this site, without calling the hosts there.',
    body: outsideUrlsSchema,
    answer: outsideLinksSchema,
    repeats: 'never',
    byItself: true,
    // It changes nothing and shows nothing.
    areas: [],
  },
  getOutsidePicture: {
    method: 'GET',
    path: '/media/outside/:signature',
    summary: 'A picture at an outside address, for those who have a link to it.',
    auth: 'none',
    params: { signature: textParam('PICTURE_NOT_FOUND', 'From the link.') },
    query: sizeQuery.extend({ url: z.string().max(2048) }),
    headers: contentHeaders,
    produces: 'image/webp',
    answer: rawAnswer,
    errors: ['PICTURE_NOT_FOUND', 'PICTURE_UNAVAILABLE', 'UNSAFE_URL'],
  },
});
