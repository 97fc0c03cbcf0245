import { z } from 'zod';
import { calls, slugParam } from './call.ts';
import { limitSchema, record } from './schema.ts';
import { excerptSchema } from './search.ts';
import { nodeSchema } from './workspace.ts';

const searchWorkspaceSchema = z.object({
  query: z
    .string()
    .trim()
    .min(1, 'must not be empty')
    .max(256)
    .describe(
      'Words, "phrases", `or`, `-` before what must not be there; the last word may go on. Also a part of a name.',
    ),
  limit: limitSchema(50, 25),
  cursor: z.string().optional().describe('How many came before.'),
});

export const foundNodeSchema = record('FoundNode', {
  ...nodeSchema.shape,
  excerpt: excerptSchema
    .pick({ text: true, marks: true })
    .extend({ of: z.enum(['name', 'content']).describe('What it is a piece of.') }),
});

export const workspaceSearchCalls = calls('Workspace', {
  searchWorkspace: {
    method: 'GET',
    path: '/api/servers/:serverId/workspace/search',
    summary:
      'Folders and files by a part of their name, and text files by the words in them: first what has it in its name, then the latest changed.',
    params: { serverId: slugParam('SERVER_NOT_FOUND', 'Id or slug of the server.') },
    query: searchWorkspaceSchema,
    paged: true,
    answer: z.array(foundNodeSchema),
    errors: ['NOT_A_MEMBER', 'FORBIDDEN', 'INVALID_CURSOR'],
    limit: 'search',
  },
});
