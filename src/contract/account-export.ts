import { z } from 'zod';
import { calls, contentHeaders, rawAnswer, uuidParam } from './call.ts';
import { idSchema, timeSchema } from './schema.ts';

/** `none`: there is none; `failed`: it could not be made, begin another one. */
const exportStates = ['none', 'preparing', 'ready', 'failed'] as const;

export const accountExportSchema = z.object({
  state: z.enum(exportStates),
  id: idSchema.nullable(),
  createdAt: timeSchema.nullable().describe('When it was begun.'),
  readyAt: timeSchema.nullable(),
  expiresAt: timeSchema.nullable().describe('It is deleted then.'),
  size: z.number().int().nullable().describe('Of the ZIP, in bytes.'),
  downloadUrl: z.string().nullable().describe('The path of the ZIP, once it is ready.'),
});

export const accountExportLinkSchema = z.object({ url: z.string(), expiresAt: timeSchema });

const mayDownload = ['ACCOUNT_EXPORT_NOT_FOUND', 'INSUFFICIENT_PAT_SCOPE'] as const;

export const accountExportCalls = calls('Accounts', {
  getAccountExport: {
    method: 'GET',
    path: '/api/auth/me/export',
    summary:
      'The export of your account: whether it is ready, and where to download it. If there is none, this begins one; ask again until it is `ready`.',
    query: z.object({
      begin: z.enum(['true', 'false']).optional().describe('`false`: only look, begin nothing.'),
    }),
    answer: accountExportSchema,
    errors: ['CONFIRMATION_REQUIRED', 'INSUFFICIENT_PAT_SCOPE'],
  },
  beginAccountExport: {
    method: 'POST',
    path: '/api/auth/me/export',
    summary:
      'Begin an export of your account, in place of the last one. Answers with the one under way, if there is one. One a day.',
    confirmed: true,
    answer: accountExportSchema,
    errors: ['INSUFFICIENT_PAT_SCOPE'],
    limit: 'auth',
    repeats: 'never',
  },
  downloadAccountExport: {
    method: 'GET',
    path: '/api/auth/me/export/download',
    summary: 'The export of your account, as a ZIP file.',
    confirmed: true,
    headers: contentHeaders,
    produces: 'application/zip',
    answer: rawAnswer,
    errors: mayDownload,
  },
  getAccountExportLink: {
    method: 'GET',
    path: '/api/auth/me/export/link',
    summary: 'A link to the export of your account that works without signing in, for ten minutes.',
    confirmed: true,
    answer: accountExportLinkSchema,
    errors: mayDownload,
  },
  openAccountExportLink: {
    method: 'GET',
    path: '/api/auth/exports/:id',
    summary: 'What a signed link to an export leads to.',
    auth: 'none',
    params: { id: uuidParam('ACCOUNT_EXPORT_NOT_FOUND', 'Id of the export.') },
    query: z.object({ token: z.string().max(512) }),
    headers: contentHeaders,
    produces: 'application/zip',
    answer: rawAnswer,
    errors: ['ACCOUNT_EXPORT_NOT_FOUND', 'LINK_EXPIRED'],
  },
});
