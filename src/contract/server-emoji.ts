import { z } from 'zod';
import { auditAction } from './audit-action.ts';
import { calls, uuidParam } from './call.ts';
import { pictureErrors } from './picture.ts';
import { doneSchema, idSchema, record, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';
import { isCommonName, ownEmojiName } from './unicode/emoji.ts';

/** How many emoji of its own a server has at most (contract §6, A server's own emoji). */
export const maxOwnEmoji = 250;
/** The longest side of their pictures, in pixels. */
export const ownEmojiSide = 128;

export const ownEmojiSchema = record('ServerEmoji', {
  id: idSchema,
  serverId: idSchema,
  name: z.string().describe('Between colons it stands for the emoji, in this server alone.'),
  url: z.string().describe('Its picture, up to 128 pixels, for everyone.'),
  smallUrl: z.string().describe('The same in up to 48 pixels; it never moves.'),
  isAnimated: z.boolean(),
  createdBy: idSchema.nullable(),
  createdAt: timeSchema,
});

export type OwnEmoji = z.output<typeof ownEmojiSchema>;

export const emojiNameSchema = z
  .string()
  .regex(ownEmojiName, 'must be 2 to 30 of a-z, digits, "_", "-" and "+"')
  .refine((name) => !isCommonName(name), 'is the name of an emoji that everyone has')
  .meta({ example: 'party_parrot' });

export const addEmojiSchema = z
  .object({
    name: emojiNameSchema,
    url: z
      .string()
      .max(2048)
      .describe('The `url` of a picture that was uploaded with the shape `emoji`, or of an upload of your own.'),
  })
  .meta({ example: { name: 'party_parrot', url: '/media/00112233445566778899aabbccddeeff.webp' } });

export const emojiAdd = auditAction({ name: 'emoji.add', summary: 'An emoji was added.', fields: ['name'] });
export const emojiRemove = auditAction({ name: 'emoji.remove', summary: 'An emoji was removed.', fields: ['name'] });

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;

export const serverEmojiCalls = calls('Servers', {
  listEmoji: {
    method: 'GET',
    path: '/api/servers/:id/emoji',
    summary: "A server's own emoji, by their names. `emojiVersion` of the server says when to read them again.",
    params: { id: serverParam },
    answer: z.array(ownEmojiSchema),
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER'],
  },
  addEmoji: {
    method: 'POST',
    path: '/api/servers/:id/emoji',
    summary: 'Add an emoji of the server’s own. Needs emoji:manage.',
    params: { id: serverParam },
    body: addEmojiSchema,
    status: 201,
    answer: ownEmojiSchema,
    errors: [...errors, ...pictureErrors, 'EMOJI_NAME_TAKEN', 'EMOJI_LIMIT'],
    audit: [emojiAdd],
  },
  removeEmoji: {
    method: 'DELETE',
    path: '/api/servers/:id/emoji/:emojiId',
    summary: 'Remove an emoji. Texts and reactions show its name from then on. Needs emoji:manage.',
    params: { id: serverParam, emojiId: uuidParam('EMOJI_NOT_FOUND', 'Id of the emoji.') },
    answer: doneSchema,
    errors: [...errors, 'EMOJI_NOT_FOUND'],
    audit: [emojiRemove],
  },
});
