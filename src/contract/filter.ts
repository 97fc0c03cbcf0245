import { z } from 'zod';
import { calls, uuidParam } from './call.ts';
import { maxContent } from './message.ts';
import { filterAdd, filterRemove } from './moderation-actions.ts';
import { doneSchema, idSchema, record, textSchema, timeSchema } from './schema.ts';
import { serverParam } from './server.ts';

/** What a server's filters look for (contract §6, Filters). */
export const filterKinds = ['word', 'link'] as const;
export type FilterKind = (typeof filterKinds)[number];

/** What happens to a message that has it, the strictest first; `allow` is for links alone. */
export const filterActions = ['refuse', 'hold', 'flag', 'allow'] as const;
export type FilterAction = (typeof filterActions)[number];

/** Most entries of a server, of both kinds together. */
export const maxFilters = 1000;
export const maxPattern = 100;

export const patternSchema = textSchema(maxPattern, z.string().min(1));

export const filterSchema = record('Filter', {
  id: idSchema,
  serverId: idSchema,
  kind: z.enum(filterKinds),
  pattern: z
    .string()
    .describe(
      'A word or several, with `*` at either end where it may go on; or a host, which stands for its subdomains too, or `*` for all links.',
    ),
  action: z.enum(filterActions),
  createdBy: idSchema.nullable(),
  createdAt: timeSchema,
});

export type FilterRecord = z.output<typeof filterSchema>;

export const addFiltersSchema = z
  .object({
    kind: z.enum(filterKinds),
    action: z.enum(filterActions).describe('`allow` exempts a host from what its domain, or `*`, is there for.'),
    patterns: z.array(patternSchema).min(1).max(maxFilters),
  })
  .refine(({ kind, action }) => kind === 'link' || action !== 'allow', {
    path: ['action'],
    message: 'only hosts can be allowed',
  })
  .meta({ example: { kind: 'word', action: 'hold', patterns: ['casino*', 'free money'] } });

export const testFiltersSchema = z.object({ content: textSchema(maxContent) });

const errors = ['SERVER_NOT_FOUND', 'NOT_A_MEMBER', 'ROLE_REQUIRED'] as const;
const params = { id: serverParam } as const;

export const filterCalls = calls('Servers', {
  listFilters: {
    method: 'GET',
    path: '/api/servers/:id/filters',
    summary: 'The word and link filters of a server, in the order in which they were made. Needs filter:manage.',
    params,
    answer: z.array(filterSchema),
    errors,
  },
  addFilters: {
    method: 'POST',
    path: '/api/servers/:id/filters',
    summary: 'Add words or hosts; one that is there already gets the new action. Needs filter:manage.',
    params,
    body: addFiltersSchema,
    status: 201,
    answer: z.array(filterSchema),
    errors: [...errors, 'FILTER_LIMIT'],
    audit: [filterAdd],
  },
  removeFilter: {
    method: 'DELETE',
    path: '/api/servers/:id/filters/:filterId',
    summary: 'Remove an entry. Needs filter:manage.',
    params: { ...params, filterId: uuidParam('FILTER_NOT_FOUND', 'Id of the entry.') },
    answer: doneSchema,
    errors: [...errors, 'FILTER_NOT_FOUND'],
    audit: [filterRemove],
  },
  testFilters: {
    method: 'POST',
    path: '/api/servers/:id/filters/test',
    summary: 'What would happen to a text, and by which entry. Needs filter:manage.',
    params,
    body: testFiltersSchema,
    answer: z.object({
      action: z.enum(['refuse', 'hold', 'flag']).nullable().describe('Null: it is sent.'),
      entry: filterSchema.nullable(),
      hasLink: z.boolean().describe('Whether it has a link that is not allowed: what is held of new members.'),
    }),
    errors,
    repeats: 'never',
    audit: { none: 'It answers what would happen, and changes nothing.' },
  },
});
