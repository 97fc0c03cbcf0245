import { z } from 'zod';
import { calls } from './call.ts';
import { record } from './schema.ts';
import { serverParam } from './server.ts';
import { storageKinds } from './storage-kinds.ts';

const bytes = z.number().int().min(0);

export const storageSchema = record('Storage', {
  usedBytes: bytes,
  quotaBytes: bytes.describe('How many there may be, by the settings or as an operator has set it.'),
  leftBytes: bytes.describe('How many more may come; 0 when there are more than may be.'),
  fileBytes: bytes.describe(
    'How many one file may have: of an account a file for a message, of a server one of its files.',
  ),
  kinds: z
    .array(z.object({ kind: z.enum(storageKinds), bytes, files: z.number().int().min(0) }))
    .describe('All kinds, in this order.'),
});

export type StorageRecord = z.output<typeof storageSchema>;

export const storageCalls = calls('Media', {
  getStorage: {
    method: 'GET',
    path: '/api/auth/me/storage',
    summary: 'What you and your bots have stored, and may store. For a bot what its owner has.',
    answer: storageSchema,
  },
  getServerStorage: {
    method: 'GET',
    path: '/api/servers/:id/storage',
    summary: 'What is stored in a server, and may be. Needs server:update.',
    params: { id: serverParam },
    answer: storageSchema,
    errors: ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'],
  },
});
