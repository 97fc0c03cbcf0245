import type { Actor } from '../../contract/actor.ts';
import { mediaQuerySchema, mediaUrlSchema, uploadAnswerSchema, uploadFieldsSchema } from '../../contract/attachment.ts';
import { AppError } from '../../contract/errors.ts';
import type { IncomingFile } from '../../infrastructure/incoming-file.ts';
import { contentHeaders, contentReply } from '../../rest/content.ts';
import { type Route, rawAnswer, route, uuidParam } from '../../rest/route.ts';
import type { MediaService } from './media.service.ts';

const tag = 'Media';
const id = uuidParam('ATTACHMENT_NOT_FOUND', 'Id of the upload.');

export function mediaRoutes(media: MediaService): Route[] {
  return [
    route({
      method: 'POST',
      path: '/api/media/upload',
      summary: 'Upload a file to send with a message; within 24 hours, or it is forgotten.',
      tag,
      auth: 'required',
      file: {
        description: 'Up to 25 MiB, unless this server is configured otherwise.',
        receive: ({ actor, atLeast }: { actor: Actor; atLeast: number }, file: IncomingFile) =>
          media.receive(actor, file, atLeast),
      },
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
      ],
      limit: 'uploads',
      async handle({ actor, file, body }) {
        const record = await media.add(actor, file, body.messageId);
        return { ...record, key: record.id };
      },
    }),
    route({
      method: 'GET',
      path: '/api/media/:id',
      summary: 'The file: for those who may read its message, or with a signed link. Supports ranges.',
      tag,
      auth: 'optional',
      params: { id },
      query: mediaQuerySchema,
      headers: contentHeaders,
      produces: '*/*',
      answer: rawAnswer,
      errors: ['ATTACHMENT_NOT_FOUND', 'AUTH_TOKEN_MISSING', 'NOT_A_MEMBER', 'LINK_EXPIRED'],
      async handle({ actor, params, query, headers }) {
        const kind = query.disposition ?? 'inline';
        if (query.signature !== undefined) {
          return contentReply(await media.openByLink(params.id, query.signature, kind), headers);
        }
        if (!actor) throw new AppError('AUTH_TOKEN_MISSING');
        return contentReply(await media.open(actor, params.id, kind), headers);
      },
    }),
    route({
      method: 'GET',
      path: '/api/attachments/:id/media-url',
      summary: 'A link to the file that works for 10 minutes without signing in.',
      tag,
      auth: 'required',
      params: { id },
      query: mediaQuerySchema.pick({ disposition: true }),
      answer: mediaUrlSchema,
      errors: ['ATTACHMENT_NOT_FOUND', 'NOT_A_MEMBER'],
      handle: ({ actor, params, query }) => media.link(actor, params.id, query.disposition ?? 'inline'),
    }),
  ];
}
