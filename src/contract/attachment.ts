import { z } from 'zod';
import { calls, contentHeaders, rawAnswer, uuidParam } from './call.ts';
import { idSchema, record } from './schema.ts';

/** How many files one message may have. */
export const maxAttachments = 10;

export const attachmentSchema = record('Attachment', {
  id: idSchema,
  url: z.string(),
  filename: z.string(),
  contentType: z.string().describe('Found out from the content, not from the name.'),
  size: z.number().int().describe('Bytes.'),
  width: z.number().int().nullable().describe('Pixels, of images.'),
  height: z.number().int().nullable(),
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

export const uploadFieldsSchema = z.object({
  messageId: z
    .union([idSchema, z.literal(['', 'null'])])
    .optional()
    // Forms have no null.
    .transform((id) => (id === '' || id === 'null' ? undefined : id))
    .describe('A message of your own to add the file to at once.'),
});

export const mediaUrlSchema = z.object({ url: z.string(), expiresAt: z.iso.datetime({ precision: 3 }) });

export const mediaQuerySchema = z.object({
  signature: z.string().max(256).optional().describe('Of a signed link.'),
  disposition: z.enum(['inline', 'attachment']).optional(),
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
