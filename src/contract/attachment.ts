import { z } from 'zod';
import { calls, contentHeaders, rawAnswer, uuidParam } from './call.ts';
import { doneSchema, idSchema, omittable, record, textSchema, withDefault } from './schema.ts';

/** How much of a voice message is told beside its file. The bytes are a multiple of 3, so that their base64 has no padding. */
const maxDurationMs = 24 * 60 * 60 * 1000;
const maxWaveformBytes = 96;
/** Larger ones are no pictures or videos that a client could show. */
const maxPixels = 16_384;

/** How many files one message may have. */
export const maxAttachments = 10;

/** In how many parts a file may come. */
const maxParts = 50;

export const attachmentSchema = record('Attachment', {
  id: idSchema,
  url: z.string(),
  filename: z.string(),
  contentType: z.string().describe('Found out from the content, not from the name.'),
  size: z.number().int().describe('Bytes.'),
  width: z.number().int().nullable().describe('Pixels, of images, and of videos as whoever sent them said.'),
  height: z.number().int().nullable(),
  thumbnailUrl: z
    .string()
    .nullable()
    .describe('A smaller form of a picture, WebP without metadata, at most 800 pixels wide and high; it never moves.'),
  durationMs: z.number().int().nullable().describe('Of audio and video, as whoever sent it said.'),
  voice: z.boolean().describe('A voice message.'),
  waveform: z
    .string()
    .nullable()
    .describe(`How loud a voice message is over its time: up to ${maxWaveformBytes} bytes in base64.`),
  isSpoiler: z.boolean().describe('Show neither the file nor its name before someone asks for it.'),
});

export type AttachmentRecord = z.output<typeof attachmentSchema>;

const uploadUrl = /(?:^|\/)api\/media\/([0-9a-f-]{36})(?:$|[?#])/i;

/** The id of the upload at an address, if it is that of one. */
export const uploadIdIn = (url: string): string | undefined => uploadUrl.exec(url)?.[1]?.toLowerCase();

/** An upload by its id, or by the `url` from its response. */
export const sentAttachmentSchema = z
  .object({ id: idSchema.nullish(), url: z.string().max(2048).nullish() })
  .transform((given) => given.id ?? uploadIdIn(given.url ?? ''))
  .pipe(z.uuid('needs the id or the url of an upload').toLowerCase());

export const uploadAnswerSchema = attachmentSchema.extend({ key: idSchema.describe('The same as `id`.') });

/** Bytes in base64, each written in one way alone. */
export const waveformSchema = z
  .string()
  .max((maxWaveformBytes / 3) * 4)
  .regex(
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/,
    `must be 1 to ${maxWaveformBytes} bytes in base64`,
  )
  .min(4);

/** A number in a form, which has texts alone. */
const formNumber = (max: number) => z.coerce.number<string>().int().min(1).max(max);

export const uploadFieldsSchema = z.object({
  messageId: z
    .union([idSchema, z.literal(['', 'null'])])
    .optional()
    // Forms have no null.
    .transform((id) => (id === '' || id === 'null' ? undefined : id))
    .describe('A message of your own to add the file to at once.'),
  voice: z
    .literal(['', 'true', 'false'])
    .optional()
    .transform((said) => said === 'true')
    .describe('It is a voice message; takes an audio file.'),
  durationMs: formNumber(maxDurationMs).optional().describe('Of audio and video.'),
  waveform: waveformSchema.optional().describe('Of a voice message: how loud it is, a byte each.'),
  width: formNumber(maxPixels).optional().describe('Pixels of a video, which the server does not decode.'),
  height: formNumber(maxPixels).optional(),
  isSpoiler: z
    .literal(['true', 'false', ''])
    .optional()
    .transform((text) => text === 'true')
    .describe('`true`: it is a spoiler.'),
  part: z
    .literal(['true', 'false', ''])
    .optional()
    .transform((text) => text === 'true')
    .describe('`true`: it is a part of a larger file, for `POST /api/media/join`.'),
});

const whole = (max: number) => omittable(z.int().min(1).max(max));

export const joinUploadsSchema = z.object({
  parts: z
    .array(idSchema)
    .min(1)
    .max(maxParts)
    .refine((ids) => new Set(ids).size === ids.length, 'must not name a part twice')
    .describe('Uploads of your own that were not sent, in the order of the bytes.'),
  filename: textSchema(1024, z.string().min(1)),
  voice: withDefault(z.boolean(), false).describe('It is a voice message; takes an audio file.'),
  durationMs: whole(maxDurationMs).describe('Of audio and video.'),
  waveform: omittable(waveformSchema).describe('Of a voice message: how loud it is, a byte each.'),
  width: whole(maxPixels).describe('Pixels of a video, which the server does not decode.'),
  height: whole(maxPixels),
  isSpoiler: withDefault(z.boolean(), false),
});

export const changeAttachmentSchema = z.object({ isSpoiler: z.boolean() });

export const mediaUrlSchema = z.object({ url: z.string(), expiresAt: z.iso.datetime({ precision: 3 }) });

export const mediaQuerySchema = z.object({
  signature: z.string().max(256).optional().describe('Of a signed link.'),
  disposition: z.enum(['inline', 'attachment']).optional(),
  size: z
    .enum(['thumbnail'])
    .optional()
    .describe('The smaller form of a picture, if `thumbnailUrl` says that there is one.'),
});

const id = uuidParam('ATTACHMENT_NOT_FOUND', 'Id of the upload.');

export const mediaCalls = calls('Media', {
  uploadMedia: {
    method: 'POST',
    path: '/api/media/upload',
    summary: 'Upload a file to send with a message; within 24 hours, or it is forgotten.',
    file: 'Up to 25 MiB, unless this server is configured otherwise.',
    body: uploadFieldsSchema,
    status: 201,
    answer: uploadAnswerSchema,
    errors: [
      'UPLOAD_LIMIT',
      'QUOTA_EXCEEDED',
      'MESSAGE_NOT_FOUND',
      'FORBIDDEN',
      'ROLE_REQUIRED',
      'CHANNEL_ARCHIVED',
      'ATTACHMENT_INVALID',
      'MESSAGE_REFUSED',
    ],
    limit: 'uploads',
    audit: { none: 'It is what members do, and there for all to see.' },
  },
  joinUploads: {
    method: 'POST',
    path: '/api/media/join',
    summary:
      'Make one upload of several, which are its parts: what failed of a large file is sent again, and not the rest.',
    body: joinUploadsSchema,
    status: 201,
    answer: uploadAnswerSchema,
    errors: ['UPLOAD_LIMIT', 'QUOTA_EXCEEDED', 'ATTACHMENT_NOT_FOUND'],
    limit: 'uploads',
    audit: { none: 'Nobody else has it before it is sent.' },
  },
  getMedia: {
    method: 'GET',
    path: '/api/media/:id',
    summary: 'The file: for those who may read its message, or with a signed link. Supports ranges.',
    auth: 'optional',
    params: { id },
    query: mediaQuerySchema,
    headers: contentHeaders,
    produces: '*/*',
    answer: rawAnswer,
    errors: ['ATTACHMENT_NOT_FOUND', 'AUTH_TOKEN_MISSING', 'NOT_A_MEMBER', 'LINK_EXPIRED'],
  },
  changeAttachment: {
    method: 'PATCH',
    path: '/api/attachments/:id',
    summary: 'Say of an upload of your own, before it is sent, whether it is a spoiler.',
    params: { id },
    body: changeAttachmentSchema,
    answer: attachmentSchema,
    errors: ['ATTACHMENT_NOT_FOUND', 'ATTACHMENT_INVALID'],
  },
  forgetUpload: {
    method: 'DELETE',
    path: '/api/attachments/:id',
    summary: 'Delete an upload of your own that was not sent.',
    params: { id },
    answer: doneSchema,
    errors: ['ATTACHMENT_NOT_FOUND', 'ATTACHMENT_INVALID'],
  },
  getMediaLink: {
    method: 'GET',
    path: '/api/attachments/:id/media-url',
    summary: 'A link to the file that works for 10 minutes without signing in.',
    params: { id },
    query: mediaQuerySchema.pick({ disposition: true }),
    answer: mediaUrlSchema,
    errors: ['ATTACHMENT_NOT_FOUND', 'NOT_A_MEMBER'],
  },
});
